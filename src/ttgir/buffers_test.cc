// SPDX-License-Identifier: Apache-2.0
#include "ttgir/buffers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace tessera::ttgir {
namespace {

// The values of a text, after its last line.
struct Read {
  explicit Read(std::string from) : text(std::move(from)) {
    for (const TtgirLine& line : lines_of(text)) buffers.read(line);
  }
  BufferView view(std::string_view name) {
    const auto value = buffers.value(name);
    EXPECT_TRUE(value) << name;
    return value ? buffers.view(*value) : BufferView{};
  }
  std::string text;
  SharedBuffers buffers;
};

constexpr const char* kAlloc = "%a = ttg.local_alloc : () -> !ttg.memdesc<2x8x16xf16, #s, #smem>\n";

TEST(SharedBuffers, FollowsViews) {
  Read read(std::string(kAlloc) +
            "%b = ttg.memdesc_index %a[%i] : !ttg.memdesc<2x8x16xf16, #s> -> !ttg.memdesc<8x16xf16, #s>\n"
            "%c = ttg.memdesc_trans %b {order = array<i32: 1, 0>} : !ttg.memdesc<8x16xf16, #s> -> "
            "!ttg.memdesc<16x8xf16, #t>\n"
            "%d = ttg.memdesc_subslice %c[0, 4] : !ttg.memdesc<16x8xf16, #t> -> !ttg.memdesc<16x4xf16, #t>\n"
            "%e = ttg.memdesc_trans %d {order = array<i32: 1, 0>} : !ttg.memdesc<16x4xf16, #t> -> "
            "!ttg.memdesc<4x16xf16, #s>\n"
            "%f = ttg.memdesc_trans %a {order = array<i32: 0, 2, 1>} : !ttg.memdesc<2x8x16xf16, #s> -> "
            "!ttg.memdesc<2x16x8xf16, #t>\n");
  const DimensionOrder turned = {1, 0};
  EXPECT_EQ(read.view("%d").order, turned);
  EXPECT_EQ(read.view("%e").order, DimensionOrder());
  EXPECT_EQ(read.view("%f").order, turned);
  for (const char* const name : {"%b", "%c", "%d", "%e", "%f"}) {
    EXPECT_EQ(read.view(name).buffer, read.view("%a").buffer) << name;
  }
  const Buffer& buffer = read.buffers.buffer(read.view("%a").buffer);
  EXPECT_EQ(buffer.lines, std::set<Index>{1});
  EXPECT_FALSE(buffer.used_by);
}

TEST(SharedBuffers, TurnsALayoutWithAView) {
  TritonAttribute swizzle{.kind = TritonKind::swizzled_shared, .rank = 3, .order = {2, 0, 1}};
  const auto seen =
      seen_through(swizzle, {1, 2, 0});  // dimension d of the view is {1, 2, 0}[d] of the buffer
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->order, (std::vector<Index>{1, 2, 0}));
  const auto back = seen_through(*seen, inverse({1, 2, 0}));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->order, swizzle.order);
  swizzle.rank = 1;
  EXPECT_FALSE(seen_through(swizzle, {1, 0}));
}

TEST(SharedBuffers, JoinsWhatALoopCarries) {
  Read read(std::string(kAlloc) +
            "%b = ttg.local_alloc : () -> !ttg.memdesc<2x8x16xf16, #s, #smem>\n"
            "%r:2 = scf.for %i = %l to %n step %s iter_args(%x = %a, %k = %l) -> (!ttg.memdesc<2x8x16xf16, "
            "#s>, i32) : i32 {\n"
            "scf.yield %b, %k : !ttg.memdesc<2x8x16xf16, #s>, i32\n"
            "}\n");
  EXPECT_EQ(read.view("%a").buffer, read.view("%b").buffer);
  EXPECT_EQ(read.view("%r#0").buffer, read.view("%a").buffer);
  EXPECT_FALSE(read.buffers.value("%r#1"));
}

TEST(SharedBuffers, FollowsBranches) {
  const std::string type = "!ttg.memdesc<2x8x16xf16, #s>";
  const std::string two =
      kAlloc + std::string("%b = ttg.local_alloc : () -> !ttg.memdesc<2x8x16xf16, #s, #smem>\n");
  // Forward, with values of other types between.
  Read forward(two + "cf.cond_br %c, ^bb1(%k, %a : i32, " + type + "), ^bb2(%b : " + type +
               ")\n^bb1(%i: i32, %x: " + type + "):\ncf.br ^bb2(%x : " + type + ")\n^bb2(%y: " + type +
               "):  // 2 preds: ^bb0, ^bb1\n");
  EXPECT_FALSE(forward.buffers.value("%i"));
  EXPECT_EQ(forward.view("%x").buffer, forward.view("%a").buffer);
  EXPECT_EQ(forward.view("%y").buffer, forward.view("%a").buffer);
  EXPECT_EQ(forward.view("%b").buffer, forward.view("%a").buffer);
  EXPECT_FALSE(forward.buffers.buffer(forward.view("%y").buffer).used_by);
  // A block before the branch to it.
  Read back("tt.func @f() {\ncf.br ^bb2\n^bb1(%x: " + type + "):\ntt.return\n^bb2:\n" + two +
            "cf.br ^bb1(%b : " + type + ")\n");
  EXPECT_EQ(back.view("%x").buffer, back.view("%b").buffer);
  EXPECT_NE(back.view("%a").buffer, back.view("%b").buffer);
  // What is not known, and what a branch has besides operands of blocks.
  Read unknown(kAlloc + std::string("cf.cond_br %c, ^bb1(%a : ") + type + "), ^bb1(%unknown : " + type +
               ")\n^bb1(%x: " + type + "):\n");
  EXPECT_TRUE(unknown.buffers.buffer(unknown.view("%x").buffer).used_by);
  Read generic(kAlloc + std::string("\"cf.br\"(%a)[^bb1] : (") + type + ") -> ()\n^bb1(%x: " + type + "):\n");
  EXPECT_TRUE(generic.buffers.buffer(generic.view("%a").buffer).used_by);
  // No branch: no allocation either.
  Read alone(kAlloc + std::string("tt.return\n^bb1(%x: ") + type + "):\n");
  EXPECT_TRUE(alone.buffers.buffer(alone.view("%x").buffer).lines.empty());
}

TEST(SharedBuffers, NamesAnOperationThatMayNeedTheLayout) {
  Read read(std::string(kAlloc) +
            "%b = ttg.memdesc_reshape %a : !ttg.memdesc<2x8x16xf16, #s> -> !ttg.memdesc<16x16xf16, #s>\n");
  const auto& use = read.buffers.buffer(read.view("%b").buffer).used_by;
  ASSERT_TRUE(use);
  EXPECT_EQ(use->line, 2);
  EXPECT_EQ(use->op, "ttg.memdesc_reshape");
  Read turned(
      std::string(kAlloc) +
      "%t = ttg.memdesc_trans %a {order = array<i32: 0, 2, 1>} : !ttg.memdesc<2x8x16xf16, #s> -> "
      "!ttg.memdesc<2x16x8xf16, #t>\n"
      "%r = scf.for %i = %l to %n step %s iter_args(%x = %a) -> (!ttg.memdesc<2x8x16xf16, #s>) : i32 {\n"
      "scf.yield %t : !ttg.memdesc<2x8x16xf16, #s>\n"
      "}\n");
  EXPECT_TRUE(turned.buffers.buffer(turned.view("%a").buffer).used_by);  // turned in each round
}

// A cure is for all accesses of a buffer, so where one may be hidden there is none.
TEST(SharedBuffers, NotesWhereAccessesMayBeHidden) {
  constexpr const char* kType = "!ttg.memdesc<2x8x16xf16, #s>";
  const auto line_of_use = [](const std::string& text) {
    Read read(kAlloc + text);
    const auto& use = read.buffers.buffer(read.view("%a").buffer).used_by;
    return use ? use->line : 0;
  };
  EXPECT_EQ(line_of_use("\"scf.while\"(%a, %b) ({\n^bb0(%x: i32, %y: i32):\n}) : () -> ()\n"), 2);
  EXPECT_EQ(line_of_use("scf.execute_region {\nscf.yield %a : !ttg.memdesc<2xf16>\n}\n"), 3);
  EXPECT_EQ(line_of_use(fmt::format("%s = arith.select %c, %a, %unknown : {}\n", kType)), 2);
  const std::string loop =
      fmt::format("%r = scf.for %i = %l to %n step %s iter_args(%x = %a) -> ({}) : i32 {{\n", kType);
  EXPECT_EQ(line_of_use(loop + "scf.yield %unknown : " + kType + "\n}\n"), 3);
  EXPECT_EQ(line_of_use(loop + "scf.yield %x : " + kType + "\n}\n"), 0);
  Read parameter(fmt::format("tt.func @f(%n: i32, %a: {}) {{\n", kType));
  EXPECT_TRUE(parameter.buffers.buffer(parameter.view("%a").buffer).used_by);
}

TEST(SharedBuffers, ReadsLongChainsInTime) {
  std::string text = "%v0 = ttg.local_alloc : () -> !ttg.memdesc<8x8xf16, #s, #smem>\n";
  for (int i = 1; i < 50000; ++i)
    text += fmt::format(
        "%v{} = ttg.memdesc_trans %v{} {{order = array<i32: 1, 0>}} : !ttg.memdesc<8x8xf16, #s> -> "
        "!ttg.memdesc<8x8xf16, #s>\n",
        i, i - 1);
  for (int i = 1; i < 50000; ++i)
    text += fmt::format("%s{} = arith.select %c, %v{}, %w{} : !ttg.memdesc<8x8xf16, #s>\n", i, i, i);
  Read read(std::move(text));
  EXPECT_EQ(read.view("%v49999").order, (DimensionOrder{1, 0}));
  // Joined from the last to the first: each new root has the tree of all before it.
  std::string joined;
  constexpr int kMost = 20000;
  for (int i = 0; i < kMost; ++i)
    joined += fmt::format("%v{} = ttg.local_alloc : () -> !ttg.memdesc<8x8xf16, #s, #smem>\n", i);
  for (int i = kMost - 1; i > 0; --i)
    joined += fmt::format("%s{} = arith.select %c, %v{}, %v{} : !ttg.memdesc<8x8xf16, #s>\n", i, i, i - 1);
  Read all(std::move(joined));
  EXPECT_EQ(all.view("%v19999").buffer, all.view("%v0").buffer);
}

TEST(SharedBuffers, SurvivesBrokenTexts) {
  for (const char* const text :
       {"%a = ttg.local_alloc", "%r = scf.for iter_args(", "scf.yield %a", "^bb0(%a", "partition0(%a) {",
        "}}}} {", "%a:99999999999 = scf.if %c -> (!ttg.memdesc<2xf16>) {",
        "%a = ttg.memdesc_trans %a {order = array<i32: 7", "ttg.warp_specialize(%a", "scf.condition(",
        "tt.func @f(%a: !ttg.memdesc<", "%a = scf.while (%b = %c", "cf.br ^bb1(%a",
        "cf.br ^bb1(%a : ", "cf.br ^", "cf.cond_br %a, ^(", "^(%a: i32", "^bb1(%a: !ttg.memdesc<",
        "default: ^bb1(%a, %a : !ttg.memdesc<2xf16>)"}) {
    Read read(std::string(kAlloc) + text + "\n" + text + "\n");
    EXPECT_FALSE(read.buffers.value("%never"));
  }
}

}  // namespace
}  // namespace tessera::ttgir
