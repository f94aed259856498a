// SPDX-License-Identifier: Apache-2.0
#include "tessera/algebra/composed_layout.h"

#include <gtest/gtest.h>

#include "laws/swizzle_laws.h"

namespace tessera {

using namespace tessera::detail;  // NOLINT(google-build-using-namespace): the layout algebra
namespace {

using laws::C;
using laws::L;
using laws::shown;
using laws::X;

TEST(Swizzle, ReadsAndWritesBitsThatDoNotOverlap) {
  EXPECT_EQ((Swizzle{3, 0, 3}(19)), 17);
  EXPECT_EQ(shown(make_swizzle(3, 4, 2)), "bad_swizzle");
  EXPECT_EQ(shown(make_swizzle(-1, 0, 1)), "bad_swizzle");
  EXPECT_EQ(shown(make_swizzle(1, 0, kIndexMin)), "bad_swizzle");
  EXPECT_EQ(shown(make_swizzle(20, 20, 23)), "bad_swizzle");
  EXPECT_EQ(shown(make_swizzle(20, 20, 22)), "Sw<20,20,22>");
}

TEST(Swizzle, MasksThatAreNoRunAreRefused) {
  EXPECT_EQ(shown(swizzle_from_masks(0b1000, 0b0100)), "Sw<1,2,1>");
  EXPECT_EQ(shown(swizzle_from_masks(0b11000000, 0b110)), "Sw<2,1,5>");
  EXPECT_EQ(shown(swizzle_from_masks(0b1100, 0b0100)), "swizzle_masks");
  EXPECT_EQ(shown(swizzle_from_masks(0b1010, 0b10100)), "swizzle_masks");
  EXPECT_EQ(shown(swizzle_from_masks(-1, 1)), "swizzle_masks");
  EXPECT_EQ(shown(swizzle_compose(Swizzle{1, 0, 3}, Swizzle{1, 0, 4})), "swizzle_shift_mismatch");
}

TEST(ComposedLayout, SwizzlesTheOffsetsOfALayout) {
  const ComposedLayout c = X("Sw<3,0,3> o (8,8):(8,1)");
  for (Index row = 0; row < 8; ++row) EXPECT_EQ(*offset(c, row), 9 * row);
  EXPECT_EQ(to_string(c), "Sw<3,0,3> o _0 o (8,8):(8,1)");
  EXPECT_EQ(*image_max(c), 63);
}

TEST(ComposedLayout, IdentitiesVanish) {
  EXPECT_EQ(to_string(composition(Swizzle{0, 4, 3}, L("(8,8):(8,1)"))), "(8,8):(8,1)");
  EXPECT_EQ(shown(make_composed(Swizzle{0, 4, 3}, 5, L("8:1"))), "Sw<0,4,3> o _5 o 8:1");
}

TEST(ComposedLayout, OperationsActOnTheDomain) {
  const ComposedLayout c = X("Sw<3,0,3> o _0 o (8,8):(8,1)");
  EXPECT_EQ(shown(detail::composition(c, laws::tiler_of("<4,4>"))), "Sw<3,0,3> o _0 o (4,4):(8,1)");
  EXPECT_EQ(shown(detail::zipped_divide(c, laws::tiler_of("<2,4>"))),
            "Sw<3,0,3> o _0 o ((2,4),(4,2)):((8,1),(16,4))");
  EXPECT_EQ(shown(detail::coalesce(X("Sw<3,0,3> o _0 o (8,8):(1,8)"))), "Sw<3,0,3> o _0 o 64:1");
  EXPECT_EQ(shown(detail::tile_to_shape(c, laws::T("(16,8)"), Order::left)),
            "Sw<3,0,3> o _0 o ((8,2),(8,1)):((8,64),(1,0))");
}

TEST(ComposedLayout, ASliceKeepsItsFixedPartInside) {
  const ComposedLayout c = X("Sw<3,0,3> o _0 o (8,8):(8,1)");
  const Outcome<ComposedLayout> row = slice(C("(3,_)"), c);
  EXPECT_EQ(shown(row), "Sw<3,0,3> o _24 o (8):(1)");
  for (Index k = 0; k < 8; ++k) EXPECT_EQ(*offset(*row, k), *offset(c, 3 + 8 * k));
  EXPECT_EQ(shown(slice(C("(3,_,1)"), c)), "rank_mismatch");
}

TEST(ComposedLayout, InversesTurnTheChainAround) {
  const ComposedLayout c = X("Sw<2,0,3> o _0 o (8,4):(4,1)");
  EXPECT_EQ(shown(right_inverse(c)), "(4,8):(8,1) o _0 o Sw<2,0,3>");
  EXPECT_TRUE(laws::check_composed_inverse(c));
  EXPECT_EQ(shown(right_inverse(X("Sw<1,0,1> o _8 o 4:1"))), "4:1 o _-8 o Sw<1,0,1>");
}

TEST(ComposedLayout, ALayoutOfASwizzleIsPushedThroughWhereThatIsTheSameFunction) {
  EXPECT_EQ(shown(composition(L("(2,2):(2,1)"), Swizzle{1, 1, 3})), "Sw<1,0,3> o _0 o (2,2):(2,1)");
  const Outcome<ComposedLayout> kept = composition(L("(2,4):(4,1)"), Swizzle{3, 0, -3});
  EXPECT_EQ(shown(kept), "(2,4):(4,1) o _0 o Sw<3,0,-3>");
  EXPECT_EQ(shown(composition(L("8:2"), X("Sw<1,0,1> o _4 o 4:1"))), "nonzero_offset");
}

TEST(ComposedLayout, SimplifyFindsThePlainLayoutOrAWitness) {
  const Outcome<OffsetLayout> plain = simplify(X("Sw<2,0,3> o _24 o (4):(1)"));
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->offset, 27);
  EXPECT_EQ(to_string(plain->layout), "(4):(-1)");
  const Outcome<OffsetLayout> no = simplify(X("Sw<2,0,2> o _0 o 16:1"));
  EXPECT_EQ(no.error.code, Code::not_representable);
  EXPECT_EQ(no.error.witness, 5);
}

TEST(ComposedLayout, RecastsAllParts) {
  EXPECT_EQ(shown(upcast(X("Sw<3,4,3> o _16 o (8,64):(64,1)"), 8)), "Sw<3,1,3> o _2 o (8,8):(8,1)");
  EXPECT_EQ(shown(upcast(X("Sw<3,4,3> o _3 o (8,64):(64,1)"), 8)), "recast_divisibility(alignment)");
  EXPECT_EQ(shown(downcast(X("Sw<3,1,3> o _2 o (8,8):(8,1)"), 8)), "Sw<3,4,3> o _16 o (8,64):(64,1)");
}

TEST(ComposedLayout, NegativeValuesHaveNoSwizzle) {
  EXPECT_EQ(offset(X("Sw<1,0,1> o _0 o 4:-1"), 1).error.code, Code::unsupported_codomain);
}

TEST(Linear, BasesOfLeavesInOrder) {
  const Outcome<LinearBases> t = to_linear(L("((4,8),(2,2)):((32,1),(16,8))"));
  ASSERT_TRUE(t);
  EXPECT_EQ(t->leaves, 4);
  const std::vector<Index> bases(t->basis, t->basis + t->total());
  EXPECT_EQ(bases, (std::vector<Index>{32, 64, 1, 2, 4, 16, 8}));
}

TEST(Linear, RefusalsSayWhich) {
  EXPECT_EQ(to_linear(L("(3,4):(1,3)")).error.reason, AlgebraReason::not_power_of_two);
  EXPECT_EQ(to_linear(L("(4,2):(1,-4)")).error.reason, AlgebraReason::negative_stride);
  const AlgebraError carry = to_linear(L("(4,4):(1,5)")).error;
  EXPECT_EQ(carry.reason, AlgebraReason::carry);
  EXPECT_EQ(carry.first & carry.second, 1);
}

TEST(Linear, ASwizzleIsFoundBehindItsBases) {
  const ComposedLayout c = X("Sw<3,0,3> o _0 o (8,8):(8,1)");
  EXPECT_EQ(shown(from_linear(*to_linear(c))), to_string(c));
}

}  // namespace
}  // namespace tessera
