// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tessera/access/access.h"

namespace tessera {
namespace {

Layout tile_of_text(std::string_view text) { return *parse_layout(text); }

TEST(ParseAccess, ReadsEveryKey) {
  const Layout tile = tile_of_text("(64,64):(64,1)");
  const AccessOptions options{.element_bits = 16};
  const auto access =
      parse_access("A=((8,2,2),8):((1,8,512),64),vector=8,ldmatrix=4,weight=3,active=0-15+24,base=32", tile,
                   options, whole_layout(tile));
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_EQ(access->name, "A");
  EXPECT_EQ(access->kind, AccessKind::ldmatrix);
  EXPECT_EQ(access->matrices, 4);
  EXPECT_EQ(access->vector, 8);
  EXPECT_EQ(access->weight, 3);
  EXPECT_EQ(access->active, 0x100ffffu);
  EXPECT_EQ(access->base, 32);
  EXPECT_EQ(parse_access("rows,vector=auto", tile, options, whole_layout(tile))->vector, 1);
}

TEST(ParseAccess, PointsAtWhatItCannotRead) {
  const Layout tile = tile_of_text("(64,64):(64,1)");
  const auto error = [&](std::string_view text) {
    return parse_access(text, tile, {}, whole_layout(tile)).error();
  };
  EXPECT_EQ(error("rows,wride").code, Code::unknown_name);
  EXPECT_EQ(error("rows,wride").span.begin, 5u);
  EXPECT_EQ(error("rows,vector=x").code, Code::bad_option);
  EXPECT_EQ(error("rows,ldmatrix=3").code, Code::bad_option);
  EXPECT_EQ(error("(8,1):(1,0),over=8").code, Code::bad_option);
  EXPECT_EQ(error("(8,1):(1,0),at=all").code, Code::bad_option);
  EXPECT_EQ(error("map:(d0) -> (d0").code, Code::syntax);
  EXPECT_EQ(error("a=(4,").code, Code::syntax);
  EXPECT_GE(error("a=(4,").span.begin, 2u);
  EXPECT_EQ(parse_access("rows", tile_of_text("8:1"), {}, whole_layout(tile)).error().code, Code::bad_option);
}

// A fuzzer found that the error was about an extent of a layout that the user had not written.
TEST(ParseAccess, AnEmptyLayoutHasNoRowsAndColumns) {
  for (const char* const layout : {"np:(0,32):(64,2)", "np:(32,0):(64,2)"}) {
    const Layout empty = tile_of_text(layout);
    for (const char* const text : {"rows", "columns", "ldmatrix"}) {
      const auto error = parse_access(text, empty, {.element_bits = 16}, whole_layout(empty)).error();
      EXPECT_EQ(error.code, Code::bad_option);
      EXPECT_LE(error.span.end, std::string_view(text).size());
    }
  }
}

TEST(ParseAccess, ListsLanesWithCommas) {
  const Layout tile = tile_of_text("(64,64):(64,1)");
  const auto active = [&](const std::string& lanes, const char* target = "nvidia") {
    const AccessOptions options{.target = *MemoryTarget::parse(target)};
    const auto access = parse_access("rows,active=" + lanes + ",write", tile, options, whole_layout(tile));
    EXPECT_TRUE(access) << to_string(access.error());
    EXPECT_EQ(access->kind, AccessKind::write);
    return access->active;
  };
  EXPECT_EQ(active("0,2,4-7"), 0xf5u);
  EXPECT_EQ(active("0-15,24"), 0x100ffffu);
  EXPECT_EQ(active("0-15+24"), 0x100ffffu);
  EXPECT_EQ(active("3, 5"), 0x28u);
  EXPECT_EQ(active("31"), 0x80000000u);
  EXPECT_EQ(active("0xfF"), 0xffu);
  EXPECT_EQ(active("0-63", "cdna3"), ~std::uint64_t{0});
}

TEST(ParseAccess, PointsAtTheLaneThatItCannotRead) {
  const Layout tile = tile_of_text("(64,64):(64,1)");
  // Each ^ is below the first and the last byte of the span; ! is below an empty one.
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"rows,active=0,32", "              ^^"},
      {"rows,active=0,2,7-4", "                ^ ^"},
      {"rows,active=0,,4", "              ^"},
      {"rows,active=", "            !"},
      {"rows,active=0,", "              !"},
      {"rows,active", "           !"},
      {"rows,active=-1,4", "            ^^"},
      {"rows,active=4-", "              !"},
      {"rows,active=0,4-x,write", "                ^"},
      {"rows,active=0x1g", "               ^"},
      {"rows,active=0x", "            ^^"},
      {"rows,active=0x11112222333344445", "            ^                 ^"},
      {"rows,active=0,4z", "              ^^"},
      {"rows,active=x", "            ^"},
  };
  for (const auto& [text, marks] : cases) {
    const auto access = parse_access(text, tile, {}, whole_layout(tile));
    ASSERT_FALSE(access) << text;
    EXPECT_EQ(access.error().code, Code::bad_option) << text;
    const std::size_t begin = marks.find_first_not_of(' ');
    EXPECT_EQ(access.error().span.begin, begin) << text;
    EXPECT_EQ(access.error().span.end, marks[begin] == '!' ? begin : marks.size()) << text;
  }
}

// A lane gives the address of one row of one matrix, by definition: lane l that of row l mod 8 of matrix l
// div
// 8. The matrices lie in the tile without gaps.
TEST(ParseAccess, MatrixInstructionsTakeTheRowsOfTheirMatrices) {
  for (const char* const word : {"ldmatrix", "stmatrix"}) {
    for (const int matrices : {1, 2, 4}) {
      for (const Index bits : {4, 8, 16, 32, 64, 128}) {
        const Index vector = 128 / bits;
        // The tile that is taken from each box: square where that fits.
        for (const auto& [below, beside] : std::vector<std::pair<Index, Index>>{
                 {std::min(matrices, 2), std::max(matrices / 2, 1)}, {matrices, 1}, {1, matrices}}) {
          const std::vector<Index> box = {8 * below, vector * beside};
          const Layout tile = tile_of_text("(" + std::to_string(box[0]) + "," + std::to_string(box[1]) +
                                           "):(" + std::to_string(box[1]) + ",1)");
          const std::string text = std::string(word) + ".x" + std::to_string(matrices);
          SCOPED_TRACE(text + " of " + std::to_string(bits) + " bits in " + to_string(tile));
          const auto access = parse_access(text, tile, {.element_bits = bits}, whole_layout(tile));
          ASSERT_TRUE(access) << to_string(access.error());
          EXPECT_EQ(access->name, text);
          EXPECT_EQ(to_string(access->kind), word);
          EXPECT_EQ(access->matrices, matrices);
          EXPECT_EQ(access->vector, vector);
          ASSERT_TRUE(access->window);
          EXPECT_EQ(access->window->shape, box);
          const Layout& tv = std::get<Layout>(access->tv);
          ASSERT_EQ(tv.size(), 8 * matrices * vector);
          for (Index lane = 0; lane < 8 * matrices; ++lane) {
            for (Index value = 0; value < vector; ++value) {
              const Index matrix = lane / 8;
              const Index row = 8 * (matrix % below) + lane % 8;
              const Index column = vector * (matrix / below) + value;
              EXPECT_EQ(tv.offset(std::vector<Index>{lane, value}), row + box[0] * column);
            }
          }
        }
      }
    }
  }
}

TEST(ParseAccess, MatrixInstructionsHaveSeveralSpellings) {
  const Layout tile = tile_of_text("(64,64):(64,1)");
  const AccessOptions options{.element_bits = 16};
  const auto read = [&](std::string_view text) {
    const auto access = parse_access(text, tile, options, whole_layout(tile));
    EXPECT_TRUE(access) << text << ": " << to_string(access.error());
    return *access;
  };
  const std::string lanes = to_string(std::get<Layout>(read("ldmatrix.x4").tv));
  EXPECT_EQ(lanes, to_string(tile_of_text("atom:nv.sm75.ldmatrix.x4.addr.A16x16")));
  for (const char* const text : {"ldmatrix=4", "ldmatrix.x4.trans", "A=ldmatrix.x4", "A=ldmatrix=4",
                                 "ldmatrix.x4,vector=auto", "ldmatrix.x4,vector=8,at=48,0",
                                 "ldmatrix.x4,over=16,16", "ldmatrix=(8,2):(1,8),ldmatrix.x4,vector=1"}) {
    const Access access = read(text);
    EXPECT_EQ(access.kind, AccessKind::ldmatrix) << text;
    EXPECT_EQ(access.matrices, 4) << text;
    if (access.vector == 1) continue;
    EXPECT_EQ(to_string(std::get<Layout>(access.tv)), lanes) << text;
  }
  EXPECT_EQ(read("ldmatrix.x2,over=32,64").window->shape, (std::vector<Index>{32, 64}));
  EXPECT_EQ(read("A=ldmatrix.x4").name, "A");
  EXPECT_EQ(read("ldmatrix=(8,2):(1,8)").name, "ldmatrix");
  EXPECT_EQ(read("rows,vector=8,stmatrix.x2.trans").matrices, 2);
}

TEST(ParseAccess, PointsAtTheFormOfAMatrixInstructionThatItCannotRead) {
  const auto error = [&](std::string_view text, std::string_view tile = "(64,64):(64,1)", Index bits = 16) {
    const Layout layout = tile_of_text(tile);
    const auto access = parse_access(text, layout, {.element_bits = bits}, whole_layout(layout));
    EXPECT_FALSE(access) << text;
    return access ? Diagnostic{} : access.error();
  };
  const std::vector<std::tuple<std::string, std::uint32_t, std::uint32_t>> cases = {
      {"ldmatrix", 0, 8},
      {"ldmatrix.x3", 9, 11},
      {"A=stmatrix.y", 11, 12},
      {"ldmatrix.", 0, 9},
      {"ldmatrix.x4.transposed", 11, 22},
      {"rows,ldmatrix=x", 14, 15},
      {"rows,ldmatrix.x8", 14, 16},
      {"ldmatrix.x4,write", 12, 17},
      {"ldmatrix.x4,stmatrix=4", 12, 22},
      {"ldmatrix.x4,vector=4", 12, 20},
      {"rows,ldmatrix", 5, 13},
      {"ldmatrix=3", 9, 10},
  };
  for (const auto& [text, begin, end] : cases) {
    const Diagnostic found = error(text);
    EXPECT_EQ(found.code, Code::bad_option) << text;
    EXPECT_EQ(found.span.begin, begin) << text;
    EXPECT_EQ(found.span.end, end) << text;
  }
  EXPECT_EQ(error("B=ldmatrix.x4", "(8,16):(16,1)").code, Code::bad_option);
  EXPECT_EQ(error("B=ldmatrix.x4", "(8,16):(16,1)").span.begin, 2u);
  EXPECT_EQ(error("ldmatrix.x1", "64:1").code, Code::bad_option);
  EXPECT_EQ(error("ldmatrix.x1", "(64,64):(64,1)", 24).code, Code::unsupported_width);
  EXPECT_EQ(error("rows,ldmatrixes").code, Code::unknown_name);
}

}  // namespace
}  // namespace tessera
