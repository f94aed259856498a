// SPDX-License-Identifier: Apache-2.0
#include "tessera/algebra/strided_layout.h"

#include <gtest/gtest.h>

#include "laws/cute_layouts.h"
#include "tessera/algebra/detail/coalesce.h"
#include "tessera/algebra/detail/construct.h"
#include "tessera/algebra/detail/modes.h"
#include "tessera/algebra/detail/slice.h"

namespace tessera {

using namespace tessera::detail;  // NOLINT(google-build-using-namespace): the layout algebra
namespace {

using laws::C;
using laws::L;
using laws::shown;
using laws::T;

static_assert(std::is_trivially_copyable_v<StridedLayout>);

TEST(StridedLayout, EvaluatesEveryKindOfCoordinate) {
  const StridedLayout l = L("(3,(2,3)):(3,(12,1))");
  EXPECT_EQ(l(16), 17);
  EXPECT_EQ(*offset(l, T("(1,5)")), 17);
  EXPECT_EQ(*offset(l, T("(1,(1,2))")), 17);
  EXPECT_EQ(L("((2,2),(4,2)):((1,8),(2,16))")(22), 26);
  EXPECT_EQ(offset(l, T("(1,2,3)")).error.code, Code::rank_mismatch);
}

TEST(StridedLayout, TheLastModeIsUnboundedAndTheFunctionOdd) {
  EXPECT_EQ(L("(4,3):(3,1)")(12), 3);
  EXPECT_EQ(L("(4,3,1):(3,1,0)")(12), 0);
  EXPECT_EQ(L("(4,3):(3,1)")(-7), -L("(4,3):(3,1)")(7));
}

TEST(StridedLayout, CoordinateStridesAddUpToCoordinates) {
  EXPECT_EQ(shown(evaluate(L("(4,(2,3)):(1@0,(1@0@1,1@1@1))"), 13)), "(1,(1,1))");
  EXPECT_EQ(shown(evaluate(L("(4,5):(1@0,1@1)"), T("(2,3)"))), "(2,3)");
  EXPECT_EQ(shown(evaluate(L("3:2@2"), 2)), "(0,0,4)");
  EXPECT_EQ(offset(L("3:2@2"), 2).error.code, Code::unsupported_codomain);
  EXPECT_EQ(shown(coshape(L("(4,(2,3)):(1@0,(1@0@1,2@1@1))"))), "(4,(2,5))");
  EXPECT_EQ(*cosize(L("(4,(2,3)):(1@0,(1@0@1,2@1@1))")), 40);
}

TEST(StridedLayout, CosizeCountsNegativeStridesBothWays) {
  EXPECT_EQ(*cosize(L("4:-1")), 4);
  EXPECT_EQ(image_min(L("(4,2):(-1,8)")), -3);
  EXPECT_EQ(image_max(L("(4,2):(-1,8)")), 8);
}

TEST(StridedLayout, InvariantsAreCheckedWhenMade) {
  EXPECT_EQ(make_strided(T("(2,3)"), T("(1,2,3)")).error.code, Code::not_congruent);
  EXPECT_EQ(make_strided(T("(2,0)"), T("(1,2)")).error.code, Code::bad_extent);
  EXPECT_EQ(make_strided(make_tuple(3037000500, 3037000500), make_tuple(1, 1)).error.code, Code::overflow);
  EXPECT_EQ(make_strided(make_tuple(3), make_tuple(kIndexMax)).error.code, Code::overflow);
  EXPECT_EQ(make_strided(make_tuple(1), make_tuple(kIndexMin)).error.code, Code::overflow);
  EXPECT_TRUE(make_strided(make_tuple(1), make_tuple(kIndexMax)));
}

TEST(Construct, CompactStridesGiveAnExtentOfOneStrideZero) {
  EXPECT_EQ(shown(make_layout(T("(4,8,1,2)"))), "(4,8,1,2):(1,4,0,32)");
  EXPECT_EQ(shown(make_layout(T("(4,8,1,2)"), Order::right)), "(4,8,1,2):(16,2,0,1)");
  EXPECT_EQ(shown(make_layout(T("1"))), "1:0");
  EXPECT_EQ(shown(make_layout(T("(4,(8,1,(2,3)))"), Order::right)), "(4,(8,1,(2,3))):(48,(6,0,(3,1)))");
  EXPECT_EQ(shown(make_layout(make_tuple(4294967296, 4294967296))), "overflow");
}

TEST(Construct, OrdersNeedNotBePermutations) {
  EXPECT_EQ(shown(make_ordered_layout(T("(2,2,2,2)"), T("(0,2,3,1)"))), "(2,2,2,2):(1,4,8,2)");
  EXPECT_EQ(shown(make_ordered_layout(T("(2,3,4,2)"), T("(0,2,3,0)"))), "(2,3,4,2):(1,4,12,2)");
  EXPECT_EQ(shown(make_ordered_layout(T("((2,3),4)"), T("(5,-1)"))), "((2,3),4):((4,8),1)");
  EXPECT_EQ(shown(make_ordered_layout(T("(2,3)"), T("(0,1,2)"))), "rank_mismatch");
}

TEST(Construct, LikeKeepsOrderAndZeros) {
  EXPECT_EQ(shown(make_layout_like(L("(2,2,2,2):(0,2,4,1)"))), "(2,2,2,2):(0,2,4,1)");
  EXPECT_EQ(shown(make_layout_like(L("(2,3,4,5):(0,42,1,0)"))), "(2,3,4,5):(0,4,1,0)");
  EXPECT_EQ(shown(make_layout_like(L("(4,8):(100,1)"))), "(4,8):(8,1)");
}

TEST(Construct, TheIdentityMapsCoordinatesToThemselves) {
  EXPECT_EQ(shown(identity_layout(T("(4,(2,3))"))), "(4,(2,3)):(1@0,(1@0@1,1@1@1))");
  EXPECT_EQ(shown(identity_layout(T("((((((((((2))))))))))"))), "capacity");
}

TEST(Modes, TakingApartAndPuttingTogether) {
  const StridedLayout l = L("(2,3,5,7):(1,2,6,30)");
  const Index some[] = {1, 3};
  EXPECT_EQ(shown(select(l, some, 2)), "(3,7):(2,30)");
  EXPECT_EQ(shown(select(l, some, 0)), "empty_range");
  EXPECT_EQ(shown(take(l, 1, 3)), "(3,5):(2,6)");
  EXPECT_EQ(shown(take(l, 1, 1)), "empty_range");
  EXPECT_EQ(shown(take(l, 1, 5)), "index_out_of_range");
  EXPECT_EQ(shown(group(l, 0, 2)), "((2,3),5,7):((1,2),6,30)");
  EXPECT_EQ(shown(replace(L("(3,4,(3,4)):(1,3,(1,3))"), 2, L("4:3"))), "(3,4,4):(1,3,3)");
  EXPECT_EQ(shown(append_to_rank(L("4:2"), 3)), "(4,1,1):(2,0,0)");
  EXPECT_EQ(shown(append_to_rank(l, 3)), "rank_mismatch");
  EXPECT_EQ(shown(concat(L("3:1"))), "(3):(1)");
  EXPECT_EQ(shown(prepend(L("3:1"), L("4:3"))), "(4,3):(3,1)");
  EXPECT_EQ(shown(zip(L("(2,3):(1,2)"), L("(4,5):(6,24)"))), "((2,4),(3,5)):((1,6),(2,24))");
  EXPECT_EQ(shown(mode(l, 4)), "index_out_of_range");
  EXPECT_EQ(shown(concat(L("3:1"), L("3:1@0"))), "codomain_mismatch");
}

TEST(Modes, FlattenAndUnflattenAreInverse) {
  const StridedLayout l = L("((2,3),5):((1,2),6)");
  EXPECT_EQ(to_string(flatten(l)), "(2,3,5):(1,2,6)");
  EXPECT_EQ(to_string(flatten(L("4:1"))), "4:1");
  EXPECT_EQ(to_string(flatten(L("(4):(1)"))), "(4):(1)");
  EXPECT_TRUE(*unflatten(flatten(l), l.profile) == l);
  EXPECT_EQ(shown(unflatten(l, T("(1,1)").profile)), "rank_mismatch");
}

TEST(Modes, AFullLayoutRefusesOneMoreMode) {
  StridedLayout l = L("1:0");
  for (int i = 1; i < kMaxLeaves; ++i) l = *append(l, L("1:0"));
  EXPECT_EQ(l.rank(), kMaxLeaves);
  EXPECT_EQ(shown(append(l, L("1:0"))), "capacity");
  EXPECT_EQ(shown(concat(l, l)), "capacity");
}

TEST(Slice, KeepsWhatIsPairedWithHoles) {
  const StridedLayout a = L("((3,2),((2,3),2)):((4,1),((2,15),100))");
  const auto at = [&](const char* c) {
    const Outcome<Slice> s = slice_and_offset(C(c), a);
    return s ? to_string(s->layout) + " at " + to_string(s->offset) : std::string(word(s.error.code));
  };
  EXPECT_EQ(at("(2,_)"), "(((2,3),2)):(((2,15),100)) at 8");
  EXPECT_EQ(at("(_,5)"), "((3,2)):((4,1)) at 32");
  EXPECT_EQ(at("(2,((0,_),_))"), "(3,2):(15,100) at 8");
  EXPECT_EQ(at("((_,1),(_,0))"), "(3,(2,3)):(4,(2,15)) at 1");
  EXPECT_EQ(at("((_,0),((0,_),1))"), "(3,3):(4,15) at 100");
  EXPECT_EQ(at("((1,_),((_,0),_))"), "(2,2,2):(1,2,100) at 4");
  EXPECT_EQ(at("(1,2)"), "():() at 19");
  EXPECT_EQ(at("(1,2,_)"), "rank_mismatch");
  EXPECT_EQ(shown(dice(C("(2,_)"), a)), "((3,2)):((4,1))");
}

TEST(Coalesce, ByProfileLeavesTheRestAlone) {
  EXPECT_EQ(shown(coalesce(L("(2,(1,6)):(1,(6,2))"), T("(1,1)").profile)), "(2,6):(1,2)");
  EXPECT_EQ(shown(coalesce(L("((2,2),(3,4)):((1,2),(4,12))"), T("(1)").profile)), "(4,(3,4)):(1,(4,12))");
  EXPECT_EQ(shown(coalesce(L("4:1"), T("(1,1)").profile)), "rank_mismatch");
}

TEST(Coalesce, BasesMergeOnOnePathOnly) {
  EXPECT_EQ(to_string(coalesce(L("(2,3):(1@0,2@0)"))), "6:1@0");
  EXPECT_EQ(to_string(coalesce(L("(2,3):(1@0,2@1)"))), "(2,3):(1@0,2@1)");
}

TEST(Coalesce, AnOverflowingProductMergesWithNothing) {
  EXPECT_EQ(to_string(coalesce(L("(1,2):(9223372036854775807,1)"))), "2:1");
  EXPECT_EQ(to_string(coalesce(L("(2,2):(4611686018427387904,0)"))), "(2,2):(4611686018427387904,0)");
}

}  // namespace
}  // namespace tessera
