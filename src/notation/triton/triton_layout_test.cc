// SPDX-License-Identifier: Apache-2.0
#include "tessera/notation/triton_layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tessera/access/register_access.h"
#include "tessera/notation/conversion.h"
#include "tessera/notation/layout.h"
#include "tessera/placement/placement.h"
#include "tessera/relayout/register_plan.h"

namespace tessera {
namespace {

TritonLayout read_triton_text(const std::string& text) {
  auto layout = parse_triton_layout(text);
  EXPECT_TRUE(layout) << text << (layout ? "" : to_string(layout.error()));
  return layout ? *layout : TritonLayout();
}
TritonBases triton_map_of(const std::string& text) { return *triton_bases(read_triton_text(text)); }

const char* const kTritonRows =
    "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>";
const char* const kTritonColumns =
    "#ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>";

TEST(TritonLayout, BasesOfExample) {
  const TritonBases map = triton_map_of(std::string("128x64:") + kTritonRows);
  const TritonBasisList registers = {{0, 1}, {0, 2}, {0, 4}, {16, 0}, {32, 0}, {64, 0}};
  EXPECT_EQ(map.of("register"), registers);
  const TritonBasisList none = {{0, 0}, {0, 0}};
  EXPECT_EQ(triton_map_of(std::string("4x64:") + kTritonRows).of("warp"), none);
}

TEST(TritonLayout, PaddedOffsetsAreSums) {
  const TritonBases map =
      triton_map_of("32x64:#ttg.padded_shared<[128:+4, 512:+16] {order = [1, 0], shape = [32, 64]}>");
  EXPECT_EQ(map.allocated(), 32 * 64 + 15 * 4 + 3 * 16);
  EXPECT_EQ(triton_offset(map, std::vector<Index>{8, 0})->offset, 544);
}

TEST(TritonLayout, StagesOfABufferCountAsOneDimension) {
  const auto layout = parse_layout(
      "!ttg.memdesc<3x8x64xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>, "
      "#ttg.shared_memory>");
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->offset({2, 0, 5}), 2 * 8 * 64 + 5);
  EXPECT_EQ(layout->offset({1, 1, 0}), 8 * 64 + 64 + 8);
}

// The buffer had the size of one block, and offsets of all: a copy wrote past it.
TEST(TritonLayout, BuffersHoldAllOffsets) {
  const std::string layouts[] = {
      "SwizzledSharedLayout(4, 2, 4, [1, 0], {})",
      "SwizzledSharedLayout(1, 1, 1, [0, 1], {})",
      "NVMMASharedLayout(64, 16, 2, cga_layout={})",
      "PaddedSharedLayout.with_identity_for([[64, 4]], [32, 32], [1, 0], cga_layout={})",
      "TensorMemoryLayout([64, 32], 1, cga_layout={})",
      "AMDRotatingSharedLayout(4, 1, 4, [1, 0], {})"};
  int read = 0;
  for (const std::string& text : layouts) {
    for (const char* const blocks :
         {"[[1, 0]]", "[[0, 1], [1, 0]]", "[[0, 0], [1, 0]]", "[[1, 0], [2, 0], [0, 0]]"}) {
      for (const char* const shape : {"f16[64,64]", "f16[128,64]", "f16[256,128]"}) {
        const auto layout = parse_layout(fmt::format(fmt::runtime(std::string(shape) + ":" + text), blocks));
        if (!layout) continue;
        ++read;
        const auto offsets = offset_range(*layout);
        ASSERT_TRUE(offsets) << to_string(*layout);
        EXPECT_GE(layout->buffer_size().value(), offsets->upper + 1) << to_string(*layout);
        EXPECT_GE(layout->buffer_size().value(), layout->size()) << to_string(*layout);
      }
    }
  }
  EXPECT_GE(read, 30);
}

// Aliases that contain one another, each in two keys.
std::string nested_aliases(int count, const std::string& dim) {
  std::string text =
      "#a0 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>;";
  for (int i = 1; i <= count; ++i) {
    const std::string before = "#a" + std::to_string(i - 1);
    text += " #a" + std::to_string(i) + " = #ttg.slice<{dim = " + (dim.empty() ? before : dim) +
            ", parent = " + before + "}>;";
  }
  return text;
}

TEST(TritonLayout, NestedAliasesEndWithAnError) {
  const auto twice = parse_triton_layout(nested_aliases(60, ""));
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().code, Code::bad_attribute);
  const auto deep = parse_triton_layout(nested_aliases(100'000, "0"));
  ASSERT_FALSE(deep);
  EXPECT_EQ(deep.error().code, Code::limit);
}

TEST(TritonLayout, BasesBeyond64BitsAreRefused) {
  const std::string large =
      "#ttg.generic_linear<{register = [[1073741824, 0, 0], [0, 1073741824, 0], [0, 0, 1073741824]], lane = "
      "[], warp = [], block = []}>";
  const auto layout = parse_triton_layout(large);
  ASSERT_FALSE(layout);
  EXPECT_EQ(layout.error().code, Code::limit);
}

// Every place of a placement holds the element, and no other place does.
TEST(TritonLayout, PlacementsAreTheHolders) {
  for (const std::string& text : {std::string("4x64:") + kTritonRows,
                                  std::string("16x16:#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, "
                                              "warpsPerCTA = [2, 2], instrShape = [16, 8]}>")}) {
    const TritonBases map = triton_map_of(text);
    const auto placement = triton_placement(map);
    ASSERT_TRUE(placement);
    for (Index row = 0; row < map.shape[0]; ++row) {
      for (Index column = 0; column < map.shape[1]; ++column) {
        const std::vector<Index> index = {row, column};
        const auto holders = triton_holders(map, index, 4096);
        const auto found = places(*placement, index);
        ASSERT_TRUE(holders && found);
        ASSERT_EQ(holders->count, std::ssize(*found));
        std::vector<Place> expected;
        for (const TritonPlace& p : holders->places) expected.push_back({p.reg, p.lane, p.warp, p.block});
        std::ranges::sort(expected);
        ASSERT_EQ(*found, expected);
      }
    }
  }
}

// On the axes of Axe the same, and lanes and warps as one number.
TEST(TritonLayout, PlacementsOnAxesOfAxeAreTheHolders) {
  for (const char* text :
       {"16x16:BlockedLayout([1,2],[4,8],[2,1],[1,0])", "4x64:BlockedLayout([1,8],[4,8],[4,1],[1,0])",
        "16x16:BlockedLayout([1,2],[8,8],[1,2],[0,1])", "16x8:NVMMADistributedLayout([2,0],[1,1],[16,8])"}) {
    const TritonBases map = triton_map_of(text);
    const Index lanes = Index{1} << map.of("lane").size();
    const auto as_axes = triton_axe_placement(map, false);
    const auto as_threads = triton_axe_placement(map, true);
    ASSERT_TRUE(as_axes && as_threads);
    EXPECT_EQ(as_axes->axis("warpid").has_value(), !map.of("warp").empty()) << text;
    for (Index i = 0; i < map.shape[0]; ++i) {
      for (Index j = 0; j < map.shape[1]; ++j) {
        const std::vector<Index> index = {i, j};
        std::vector<Place> axes;
        std::vector<Place> threads;
        const auto holders = triton_holders(map, index, 1 << 10);
        ASSERT_TRUE(holders) << text;
        for (const TritonPlace& p : holders->places) {
          Place one;
          for (const PlacementAxis& axis : as_axes->axes())
            one.push_back(axis.name == "m" ? p.reg : axis.name == "laneid" ? p.lane : p.warp);
          axes.push_back(one);
          Place other;
          for (const PlacementAxis& axis : as_threads->axes())
            other.push_back(axis.name == "m" ? p.reg : p.lane + lanes * p.warp);
          threads.push_back(other);
        }
        std::ranges::sort(axes);
        std::ranges::sort(threads);
        EXPECT_EQ(*places(*as_axes, index), axes) << text;
        EXPECT_EQ(*places(*as_threads, index), threads) << text;
      }
    }
  }
}

// `equal` says that memory is equal iff each element has the same offset, partition and blocks.
TEST(TritonLayout, EqualMemoryHasEqualPlaces) {
  std::vector<std::string> texts;
  for (const char* const blocks : {"[]", "[[1, 0]]", "[[0, 0], [1, 0]]", "[[1, 0], [0, 0]]",
                                   "[[1, 0], [2, 0]]", "[[2, 0], [1, 0]]", "[[0, 1], [1, 0]]"}) {
    for (const char* const layout :
         {"SwizzledSharedLayout(2, 1, 2, [1, 0], {})", "NVMMASharedLayout(32, 16, 2, cga_layout={})",
          "SwizzledSharedLayout(1, 1, 1, [1, 0], {})",
          "PaddedSharedLayout.with_identity_for([[64, 2]], [16, 32], [1, 0], {})",
          "PaddedSharedLayout.with_identity_for([[512, 2]], [16, 32], [1, 0], {})"})
      texts.push_back("16x32:" + fmt::format(fmt::runtime(layout), blocks));
  }
  for (const char* const swizzle :
       {"vec = 2, perPhase = 1, maxPhase = 2", "vec = 1, perPhase = 1, maxPhase = 1"}) {
    for (const char* const cga : {"", ", CGALayout = [[1, 0]]", ", CGALayout = [[0, 0]]"}) {
      for (const char* const allocated : {"16x32", "32x32", "16x64"})
        texts.push_back(
            fmt::format("!ttg.memdesc<16x32xf16, #ttg.swizzled_shared<{{{}, order = [1, 0]{}}}>, "
                        "#ttg.shared_memory, mutable, {}>",
                        swizzle, cga, allocated));
    }
  }
  texts.push_back("16x32:PartitionedSharedLayout(2, 2, 0, SwizzledSharedLayout(1, 1, 1, [1, 0]))");
  texts.push_back("16x32:PartitionedSharedLayout(4, 1, 0, SwizzledSharedLayout(1, 1, 1, [1, 0]))");
  struct Read {
    Layout layout;
    std::vector<std::string> places;  // of each element, then what has no element: blocks, partitions
  };
  std::vector<Read> all;
  for (const std::string& text : texts) {
    const auto layout = parse_layout(text);
    if (!layout) continue;
    Read& one = all.emplace_back(Read{*layout, {}});
    const TritonLayout& triton = *layout->as<TritonLayout>();
    for (Index i = 0; i < 16; ++i) {
      for (Index j = 0; j < 32; ++j) {
        const auto place = triton_offset(triton, std::vector<Index>{i, j});
        ASSERT_TRUE(place) << text;
        one.places.push_back(
            fmt::format("{} {} {}", place->offset, place->partition, fmt::join(place->blocks, ",")));
      }
    }
    const TritonBases map = *triton_bases(triton);
    one.places.push_back(fmt::format("{} {}", map.of("block").size(), map.of("partition").size()));
  }
  ASSERT_GT(all.size(), 40U);
  int equal_pairs = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < all.size(); ++j) {
      const LayoutEquality found = same_map(all[i].layout, all[j].layout, {});
      const bool expected = all[i].places == all[j].places;
      equal_pairs += expected && i != j ? 1 : 0;
      EXPECT_EQ(found.verdict == Verdict::yes, expected)
          << to_string(all[i].layout) << " and " << to_string(all[j].layout) << ": " << to_string(found);
    }
  }
  EXPECT_GT(equal_pairs, 20);
}

// The memory of an exchange, counted lane by lane, has the wavefronts of the plan.
TEST(RegisterPlan, ExchangeHasNoConflicts) {
  for (const Index bits : {8, 16, 32}) {
    for (const char* shape : {"64x64:", "128x32:", "32x256:"}) {
      const TritonBases from = triton_map_of(std::string(shape) + kTritonRows);
      const TritonBases to = triton_map_of(std::string(shape) + kTritonColumns);
      const auto plan = plan_registers(from, to, bits);
      ASSERT_TRUE(plan && plan->exchange);
      TritonLayout memory;
      memory.attribute = {.kind = TritonKind::shared_linear, .rank = 2};
      memory.attribute.offsets = plan->exchange->memory;
      memory.form = TritonForm::shape;
      memory.shape = from.shape;
      const auto write = local_access(from, memory, bits, true, "cuda:60");
      const auto reading = local_access(to, memory, bits, false, "cuda:60");
      ASSERT_TRUE(write && reading);
      EXPECT_LE(write->wavefronts, plan->exchange->write.wavefronts) << shape << bits;
      EXPECT_LE(reading->wavefronts, plan->exchange->read.wavefronts) << shape << bits;
      EXPECT_EQ(plan->counts.points, plan->counts.stay + plan->counts.reg + plan->counts.lane +
                                         plan->counts.warp + plan->counts.block);
    }
  }
}

}  // namespace
}  // namespace tessera
