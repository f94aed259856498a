// SPDX-License-Identifier: Apache-2.0
// Compositions, complements and inverses that other implementations of the layout algebra get wrong, with the
// correct results.
#include "algebra/composition_check.h"
#include "laws/composition_laws.h"

namespace tessera {

using namespace tessera::detail;  // NOLINT(google-build-using-namespace): the layout algebra
namespace {

using laws::L;
using laws::shown;

struct Wrong {
  const char* a;
  const char* b;
  PeerRule rule;
  const char* theirs;
  const char* ours;
};

// The complement of (2,2):(7,2) rounds its gap down to 2:1. It once ended there, so a third copy continued
// inside the gap and overlapped offset 2 of the first copy.
TEST(Regressions, CopiesOfALayoutWithHolesDoNotOverlap) {
  const StridedLayout a = L("(2,2):(7,2)");
  EXPECT_FALSE(logical_product(a, L("3:1")).ok());
  const Outcome<StridedLayout> four = logical_product(a, L("4:1"));
  ASSERT_TRUE(four.ok());
  EXPECT_EQ(to_string(*four), "((2,2),(2,2)):((7,2),(1,14))");
  EXPECT_TRUE(injectivity(*four)->injective);
}

TEST(Regressions, CompositionsThatOthersGetWrong) {
  const Wrong cases[] = {
      // A rule that tests each mode separately is wrong at coordinate 2.
      {"(4,6,8):(2,3,5)", "6:3", PeerRule::cute_cpp, "(2,3):(6,3)", "not_representable(stride)"},
      // A rule that treats a stride below the extent as a divisor is wrong at coordinate 3.
      {"(5,8):(1,100)", "4:3", PeerRule::cute_cpp, "(2,2):(3,100)", "(2,2):(3,101)"},
      // Two leaves carry into the second mode.
      {"(2,2):(1,10)", "(2,2):(1,1)", PeerRule::cute_cpp, "(2,2):(1,1)", "not_representable(carry)"},
      {"(2,2):(1,10)", "(2,2):(1,1)", PeerRule::pycute, "(2,2):(1,1)", "not_representable(carry)"},
      {"(2,2):(1,10)", "(2,2):(1,1)", PeerRule::tensor_layouts, "(2,2):(1,1)", "not_representable(carry)"},
      {"(6,2):(1,7)", "(3,2):(2,3)", PeerRule::pycute, nullptr, "not_representable(carry)"},
      // A rule that rounds the extent down gives a layout of the wrong size.
      {"(5,3):(7,1)", "7:1", PeerRule::pycute, "5:7", "not_representable(shape)"},
      // A trailing mode 1:0 limits the left operand.
      {"(4,3,1):(3,1,0)", "24:1", PeerRule::pycute, "(4,6):(3,1)", "(4,3,2):(3,1,0)"},
  };
  for (const Wrong& c : cases) {
    const PeerVerdict peer = peer_composition(c.rule, L(c.a), L(c.b));
    EXPECT_TRUE(peer.accepts) << c.a << " o " << c.b;
    if (c.theirs != nullptr) {
      EXPECT_EQ(to_string(peer.result), c.theirs);
    }
    EXPECT_TRUE(peer.wrong_at) << to_string(peer.result);
    EXPECT_EQ(shown(composition(L(c.a), L(c.b))), c.ours);
    EXPECT_TRUE(laws::check_composition(L(c.a), L(c.b)));
  }
}

TEST(Regressions, CompositionsThatOthersRefuseWithoutReason) {
  EXPECT_FALSE(peer_composition(PeerRule::paper, L("(8,8):(8,1)"), L("3:3")).accepts);
  EXPECT_EQ(shown(composition(L("(8,8):(8,1)"), L("3:3"))), "3:24");
  EXPECT_FALSE(peer_composition(PeerRule::cute_cpp, L("(5,126,7):(1,13,0)"), L("21:31")).accepts);
}

TEST(Regressions, ACarryThatAnInjectiveRightOperandDoesNotPrevent) {
  const Outcome<StridedLayout> r = composition(L("(4,2):(1,10)"), L("(2,2):(3,2)"));
  EXPECT_EQ(shown(r), "not_representable(carry)");
  EXPECT_EQ(r.error.witness, 3);
  EXPECT_EQ(r.error.first, 11);
  EXPECT_EQ(r.error.second, 5);
}

TEST(Regressions, ComplementsOfOverlappingLayoutsAreRefused) {
  for (const char* l : {"(2,2):(2,3)", "((2,2),(2,2)):((1,8),(8,4))", "(2,2):(1,1)"}) {
    EXPECT_EQ(shown(complement(L(l), 64)), "non_injective") << l;
  }
}

TEST(Regressions, AShapeAsCotargetRoundsUpPerMode) {
  EXPECT_EQ(shown(complement(L("2:1"), laws::T("(3,5)"))), "10:2");
  EXPECT_EQ(shown(complement(L("2:1"), 15)), "8:2");
}

// The rule of the chain of strides refused layouts whose inverse has modes that do not follow the strides.
TEST(Regressions, LeftInversesOfModesThatDoNotChain) {
  EXPECT_EQ(shown(left_inverse(L("(63,2):(1,1)"))), "non_injective");
  EXPECT_EQ(shown(left_inverse(L("(2,2):(2,3)"))), "(2,3):(1,1)");
  EXPECT_EQ(shown(left_inverse(L("(2,2):(2,5)"))), "(2,4):(0,1)");
  EXPECT_EQ(shown(left_inverse(L("4:-1"))), "4:-1");
  EXPECT_EQ(shown(left_inverse(L("(5,4):(2,5)"))), "not_invertible");
  EXPECT_EQ(shown(left_inverse(L("(2,4):(-1,2)"))), "not_invertible(negative_stride)");
  // generalized_inverse applies this rule alone, so it still refuses them.
  EXPECT_EQ(shown(generalized_inverse(L("(2,2):(2,3)"))), "non_injective");
  EXPECT_EQ(shown(generalized_inverse(L("4:-1"))), "negative_stride");
  EXPECT_EQ(shown(generalized_inverse(L("(2,4):(4,19)"))), "left_inverse_chain");
}

// The base of a negative stride is at the end of its word.
TEST(Regressions, RecastsOfSwizzledNegativeStridesKeepTheBase) {
  using laws::X;
  EXPECT_EQ(shown(recast(X("Sw<3,3,3> o _63 o (8,64):(64,-1)"), 16, 32)), "Sw<3,2,3> o _31 o (8,32):(32,-1)");
  EXPECT_EQ(shown(recast(X("Sw<3,2,3> o _31 o (8,32):(32,-1)"), 32, 16)), "Sw<3,3,3> o _63 o (8,64):(64,-1)");
  EXPECT_EQ(shown(recast(X("Sw<3,3,3> o _62 o (8,64):(64,-1)"), 16, 32)), "recast_divisibility(alignment)");
}

TEST(Regressions, RightInversesSkipWhatIsOffTheChain) {
  EXPECT_EQ(shown(right_inverse(L("(2,4,4,6):(4,1,0,8)"))), "(4,2,6):(2,1,32)");
  EXPECT_EQ(shown(right_inverse(L("(128,3,160):(65536,512,1)"))), "160:384");
}

TEST(Regressions, ADivideWhoseTileWouldNotBeTheComposition) {
  EXPECT_EQ(shown(logical_divide(L("(3,5):(1,100)"), L("2:1"))), "not_representable(stride)");
}

TEST(Regressions, BlockedProductsWithHolesDoNotOverlap) {
  EXPECT_EQ(shown(blocked_product(L("(2,2):(1,6)"), L("(2,2):(1,2)"))), "not_representable(carry)");
}

TEST(Regressions, TheDividendOfOldDocuments) {
  EXPECT_EQ(shown(logical_divide(L("(4,2,3):(2,1,8)"), L("4:2"))), "((2,2),(2,3)):((4,1),(2,8))");
  EXPECT_EQ(shown(logical_divide(L("(2,4,3):(4,1,8)"), L("4:2"))), "(4,(2,3)):(1,(4,8))");
}

TEST(Regressions, AnEmptySwizzleEnds) {
  // One implementation recurses infinitely on Sw<0,M,0>.
  EXPECT_EQ(laws::shown(swizzle_compose(Swizzle{0, 4, 0}, Swizzle{0, 4, 0})), "Sw<0,4,0>");
  EXPECT_EQ((Swizzle{0, 4, 0}(77)), 77);
}

TEST(Regressions, ALimitTakenFromAConstIsNotTheCompileTimeOne) {
  // Regression: the limit for run-time layouts was 2^10, the one for compile time, because compilers evaluate
  // the initializer of a const early.
  EXPECT_EQ(shown(composition(L("(4,(4,6,4,2)):(16,(768,64,2,1))"),
                              L("((96,6),(1,4,1),1):((8,16),(548,192,227),768)"))),
            "not_representable(carry)");
}

}  // namespace
}  // namespace tessera
