// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "laws/algebra_laws.h"
#include "tessera/algebra/detail/recast.h"

namespace tessera {

using namespace tessera::detail;  // NOLINT(google-build-using-namespace): the layout algebra
namespace {

using laws::L;
using laws::shown;
using laws::T;
using laws::tiler_of;

TEST(Divide, ByModeSplitsEachMode) {
  const StridedLayout l = L("(9,(4,8)):(59,(13,1))");
  const Tiler t = tiler_of("<3:3,(2,4):(1,8)>");
  EXPECT_EQ(shown(logical_divide(l, t)), "((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))");
  EXPECT_EQ(shown(zipped_divide(l, t)), "((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))");
  EXPECT_EQ(shown(tiled_divide(l, t)), "((3,(2,4)),3,(2,2)):((177,(13,2)),59,(26,1))");
  EXPECT_EQ(shown(flat_divide(l, t)), "(3,(2,4),3,(2,2)):(177,(13,2),59,(26,1))");
}

TEST(Divide, OneLayoutAsTilerSeesOneDimension) {
  EXPECT_EQ(shown(logical_divide(L("(12,32):(1,12)"), L("(4,8):(1,4)"))), "((4,8),12):((1,4),32)");
  EXPECT_EQ(shown(logical_divide(L("24:1"), Tiler(4))), "(4,6):(1,4)");
}

TEST(Divide, AnIndivisibleLayoutIsOverCovered) {
  EXPECT_EQ(shown(logical_divide(L("48:1"), L("32:1"))), "(32,2):(1,32)");
  EXPECT_EQ(shown(logical_divide(L("32:1"), L("48:1"))), "(48,1):(1,0)");
}

TEST(Divide, AHoleKeepsItsMode) {
  EXPECT_EQ(shown(logical_divide(L("(64,50,80):(16000,160,1)"), tiler_of("<32,_,40>"))),
            "((32,2),50,(40,2)):((16000,512000),160,(1,40))");
  EXPECT_EQ(shown(zipped_divide(L("(4,6):(1,4)"), tiler_of("<2,_>"))), "((2,1),(2,6)):((1,0),(2,4))");
  EXPECT_EQ(shown(zipped_divide(L("(4,6):(1,4)"), tiler_of("_"))), "(1,(4,6)):(0,(1,4))");
}

TEST(Divide, NestedTilersFollowTheNesting) {
  EXPECT_EQ(shown(zipped_divide(L("(4,(6,8)):(1,(4,24))"), tiler_of("<2,<3,4>>"))),
            "((2,(3,4)),(2,(2,2))):((1,(4,24)),(2,(12,96)))");
  EXPECT_EQ(shown(logical_divide(L("(4,6):(1,4)"), tiler_of("<2,<3,4>>"))), "rank_mismatch");
}

TEST(Divide, EvenDivisionCounts) {
  EXPECT_TRUE(evenly_divides(T("(8,6)"), tiler_of("<4,3>")));
  EXPECT_FALSE(evenly_divides(T("(8,6)"), tiler_of("<4,4>")));
  EXPECT_FALSE(evenly_divides(T("8"), tiler_of("<4,1>")));
  EXPECT_EQ(shown(domain_distribute(T("(15,14)"), 6)), "(3,2):(1,15)");
}

TEST(Product, RepeatsByTheComplement) {
  EXPECT_EQ(shown(logical_product(L("(2,2):(4,1)"), L("6:1"))), "((2,2),(2,3)):((4,1),(2,8))");
  EXPECT_EQ(shown(logical_product(L("3:32"), L("128:1"))), "(3,(32,4)):(32,(1,96))");
  EXPECT_EQ(shown(logical_product(L("(2,5):(5,1)"), tiler_of("<3:5,4:6>"))), "((2,3),(5,4)):((5,10),(1,30))");
  EXPECT_EQ(shown(logical_product(L("4:1"), Tiler(1))), "(4,1):(1,0)");
  EXPECT_EQ(shown(logical_product(L("4:1@0"), L("2:1"))), "unsupported_codomain");
}

TEST(Product, BlockedAndRakedPutModesTogether) {
  EXPECT_EQ(shown(blocked_product(L("(2,5):(5,1)"), L("(3,4):(1,3)"))), "((2,3),(5,4)):((5,10),(1,30))");
  EXPECT_EQ(shown(raked_product(L("(2,5):(5,1)"), L("(3,4):(1,3)"))), "((3,2),(4,5)):((10,5),(30,1))");
  EXPECT_EQ(shown(blocked_product(L("4:1"), L("(2,3):(1,2)"))), "((4,2),(1,3)):((1,4),(0,8))");
}

TEST(Product, TileToShapeOrdersTheCopies) {
  EXPECT_EQ(shown(tile_to_shape(L("(8,8):(8,1)"), T("(16,32)"), Order::left)),
            "((8,2),(8,4)):((8,64),(1,128))");
  EXPECT_EQ(shown(tile_to_shape(L("(8,8):(8,1)"), T("(16,32)"), Order::right)),
            "((8,2),(8,4)):((8,256),(1,64))");
  const AlgebraError e = tile_to_shape(L("(4,4):(1,4)"), T("(8,6)"), Order::left).error;
  EXPECT_EQ(e.code, Code::tile_to_shape_divisibility);
  EXPECT_EQ(e.leaf, 1);
}

TEST(Recast, DividesStridesOrExtents) {
  EXPECT_EQ(shown(upcast(L("(32,(32,4)):(32,(1,1024))"), 16)), "(32,(2,4)):(2,(1,64))");
  EXPECT_EQ(shown(upcast(L("8:3"), 2)), "recast_divisibility");
  EXPECT_EQ(shown(upcast(L("8:1"), 0)), "bad_extent");
  EXPECT_FALSE(*upcast_is_exact(L("7:1"), 2));
  EXPECT_EQ(shown(recast(L("(4,4):(4,1)"), 16, 32)), "(4,2):(2,1)");
  EXPECT_EQ(shown(recast(L("(4,6):(6,1)"), 16, 24)), "(4,4):(4,1)");
  // The words of a base with negative steps end at the base: the first one begins 3 elements before it,
  // not 6.
  EXPECT_EQ(upcast_alignments(L("8:-1"), 4), (Alignments{3, 3}));
  EXPECT_EQ(upcast_alignments(L("8:-2"), 4), (Alignments{2, 3}));
  EXPECT_EQ(upcast_alignments(L("(4,4):(8,1)"), 4), (Alignments{0, 0}));
  // Windows that overlap inside a word have no layout of words.
  EXPECT_EQ(shown(upcast(L("(4,4):(1,1)"), 4)), "recast_divisibility(window)");
  EXPECT_EQ(*max_alignment(L("(4,8):(1,6)")), 2);
}

TEST(ThreadValue, TilesAndThreads) {
  const Outcome<ThreadValue> tv = make_layout_tv(L("(2,3):(3,1)"), L("(2,2):(2,1)"));
  ASSERT_TRUE(tv);
  EXPECT_EQ(to_string(tv->tile), "(4,6)");
  EXPECT_EQ(to_string(tv->layout), "((3,2),(2,2)):((8,2),(4,1))");
  EXPECT_TRUE(tv->compact);
  const Outcome<ThreadValue> gaps = make_layout_tv(L("(2,2):(1,4)"), L("1:0"));
  EXPECT_TRUE(!gaps.ok() || !gaps->compact);
}

TEST(ThreadValue, LocalTilesComeOutFlat) {
  const Outcome<Slice> tile = local_tile(L("(6,6,12):(48,1152,1)"), tiler_of("(1,2,12)"), laws::C("(2,_,0)"));
  ASSERT_TRUE(tile);
  EXPECT_EQ(to_string(tile->layout), "(1,2,12,3):(0,1152,1,2304)");
  EXPECT_EQ(to_string(tile->offset), "96");
  const Outcome<Slice> part = local_partition(L("(6,6,12):(48,1152,1)"), L("(2,2,4):(1,2,4)"), 2);
  ASSERT_TRUE(part);
  EXPECT_EQ(to_string(part->layout), "(3,3,3):(96,2304,4)");
  EXPECT_EQ(to_string(part->offset), "1152");
}

}  // namespace
}  // namespace tessera
