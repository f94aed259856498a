// SPDX-License-Identifier: Apache-2.0
#include "tessera/relayout/relayout.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "laws/allocations.h"
#include "relayout/state.h"
#include "tessera/notation/layout.h"

namespace tessera::relayout_test {
namespace {

Layout layout(std::string_view text) { return parse_layout(text).value(); }

// Distinct 4-byte elements.
std::vector<std::uint32_t> numbers(Index elements) {
  std::vector<std::uint32_t> values(static_cast<std::size_t>(elements));
  std::iota(values.begin(), values.end(), 1U);
  return values;
}

TEST(RelayoutOnce, MovesWhatAPlanMoves) {
  for (const auto& [src, dst] :
       {std::pair("f32[64,64]", "f32[64,64]{0,1}"), std::pair("f32[40,41]", "f32[40,41]{1,0:T(8,128)}"),
        std::pair("f32[5,3,7,4,6,8]", "f32[5,3,7,4,6,8]{0,1,2,3,4,5}"),
        std::pair("Sw<3,2,3> o _0 o (16,16):(16,1)", "f32[16,16]")}) {
    const Layout from = layout(src);
    const Layout to = layout(dst);
    const auto data = numbers(from.buffer_size().value());
    std::vector<std::uint32_t> planned(static_cast<std::size_t>(to.buffer_size().value()));
    std::vector<std::uint32_t> once = planned;
    run(make_plan(from, to, 4).value(), data.data(), planned.data());
    ASSERT_TRUE(
        relayout(from, to, 4, std::as_bytes(std::span(data)), std::as_writable_bytes(std::span(once))));
    EXPECT_EQ(once, planned) << src << " to " << dst;
    EXPECT_EQ(once[static_cast<std::size_t>(to.offset(std::vector<Index>(to.rank(), 2)))],
              data[static_cast<std::size_t>(from.offset(std::vector<Index>(to.rank(), 2)))]);
  }
}

TEST(RelayoutOnce, RefusesBeforeItWrites) {
  const auto data = numbers(12);
  std::vector<std::uint32_t> out(12, 7);
  const auto from = std::as_bytes(std::span(data));
  const auto to = std::as_writable_bytes(std::span(out));
  const auto refusal = [&](std::string_view src, std::string_view dst, std::span<std::byte> place) {
    return relayout(layout(src), layout(dst), 4, from, place).error().code;
  };
  EXPECT_EQ(refusal("f32[3,4]", "f32[4,3]", to), Code::different_shape);
  EXPECT_EQ(refusal("f32[3,4]", "np:(3,4):(2,1)", to), Code::broadcast);
  EXPECT_EQ(refusal("f32[3,4]", "f32[3,4]{0,1}", to.first(47)), Code::buffer_too_small);
  EXPECT_EQ(refusal("f32[3,4]", "f32[3,4]{0,1}",
                    {const_cast<std::byte*>(from.data()), from.size()}),  // NOLINT: nothing is written
            Code::overlap);
  EXPECT_EQ(out, std::vector<std::uint32_t>(12, 7));
}

TEST(RelayoutOnce, TakesNoMemoryForSimplePairs) {
  if (!testing_allocations::can_count()) GTEST_SKIP();
  for (const auto& [src, dst] :
       {std::pair("f32[64,64]", "f32[64,64]{0,1}"), std::pair("np:(6,7):(7,1)", "np:(6,7):(-1,6) + 5"),
        std::pair("f32[40,41]", "f32[40,41]{1,0:T(8,128)}"),
        std::pair("f32[8,16,32,64]", "f32[8,16,32,64]{3,1,2,0}"),
        std::pair("f32[64,64]{1,0:T(8,8)}", "f32[64,64]")}) {
    const Layout from = layout(src);
    const Layout to = layout(dst);
    const auto data = numbers(from.buffer_size().value());
    std::vector<std::uint32_t> out(static_cast<std::size_t>(to.buffer_size().value()));
    const auto here = std::as_bytes(std::span(data));
    const auto there = std::as_writable_bytes(std::span(out));
    default_isa();  // reads the environment, once
    const long before = testing_allocations::count();
    const auto done = relayout(from, to, 4, here, there);
    EXPECT_EQ(testing_allocations::count() - before, 0) << src << " to " << dst;
    EXPECT_TRUE(done.has_value());
  }
}

// Element-by-element copies once allocated: an index for each chunk, and lists for each tile.
TEST(RelayoutRun, TakesNoMemoryEvenElementByElement) {
  if (!testing_allocations::can_count()) GTEST_SKIP();
  std::string ones = "1";
  for (int i = 0; i < 70; ++i) ones += ",1";
  for (const auto& [src, dst, size] :
       {std::tuple(std::string("np:(2,3):(3,1)"), std::string("np:(2,3):(1,2)"), 6),
        std::tuple(std::string("f32[7,5]{1,0:T(3)(2,2)}"), std::string("f32[7,5]{0,1:T(2,3)}"), 48),
        std::tuple(std::string("Sw<2,1,3> o _0 o (8,8):(8,1)"), std::string("np:(8,8):(1,8)"), 64),
        std::tuple(fmt::format("np:(6,{},4):(4,{},1)", ones, ones),
                   fmt::format("np:(6,{},4):(1,{},6)", ones, ones), 24)}) {
    const Layout from = layout(src);
    const Layout to = layout(dst);
    const auto made = parse_plan(
        fmt::format("relayout of {} bytes in elements of 4: reads 0 to 1000, writes 0 to 1000, padding keep, "
                    "cached, 1 chunk\neach element\n  from {}\n  to {}\n",
                    from.size() * 4, src, dst));
    ASSERT_TRUE(made.has_value()) << made.error().message;
    const auto data = numbers(250);
    std::vector<std::uint32_t> out(250);
    const long before = testing_allocations::count();
    run(*made, data.data(), out.data());
    EXPECT_EQ(testing_allocations::count() - before, 0) << src;
    std::vector<std::uint32_t> expected(250);
    run(make_plan(from, to, 4).value(), data.data(), expected.data());
    EXPECT_EQ(out, expected) << src << " to " << dst;
  }
}

// Evaluating a map is slow, so only layouts whose evaluation allocates are replaced by their maps. Swizzles
// were once replaced too if the other side had tiles.
TEST(RelayoutRun, EvaluatesLayoutsAsTheyAreWhereThatTakesNoMemory) {
  const moving::ElementwiseCopy plain(layout("Sw<3,4,5> o _0 o (64,65):(65,1)"),
                                      layout("bf16[64,65]{0,1:T(8,2)}"));
  EXPECT_EQ(plain.src_map(), plain.src());
  EXPECT_EQ(plain.dst_map(), plain.dst());
  const moving::ElementwiseCopy tiles(layout("Sw<3,4,5> o _0 o (64,65):(65,1)"),
                                      layout("bf16[64,65]{0,1:T(3,2)(2,2)}"));
  EXPECT_EQ(tiles.src_map(), tiles.src());
  EXPECT_EQ(tiles.dst_map().notation(), Notation::map);
}

}  // namespace
}  // namespace tessera::relayout_test
