// SPDX-License-Identifier: Apache-2.0
// The sizes of dynamic dimensions are known only at run time, so maps must hold for all sizes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hlo/indexing/variables.h"
#include "laws/dynamic_programs.h"
#include "laws/operand_maps_laws.h"
#include "laws/random_seed.h"
#include "tessera/hlo/module.h"

namespace tessera::laws::dynamic_sizes {
namespace {

// The indexing with numbers for its sizes, whose texts end with `dimension 1 of a`.
Indexing with_sizes(Indexing x, const NamedSizes& named) {
  while (!x.runtime.empty()) {
    const std::string& text = x.runtime[0].text;
    const std::size_t of = text.rfind(" of ");
    const auto found = named.find(text.substr(of + 4));
    EXPECT_NE(found, named.end()) << text;
    if (found == named.end()) return x;
    const auto dim = static_cast<std::size_t>(text[of - 1] - '0');
    detail::replace_runtime(x, 0, Expr::constant(found->second.at(dim)));
  }
  return x;
}

// What the maps of one direction say about existing elements.
struct Found {
  Direction direction;
  Relation pairs = {};
  bool exact = true;
  std::string text = {};  // of the maps
};

// For both directions, the pairs that begin at an existing element. Their other side may not exist: an exact
// map has no such pair. Regression: maps of an operand of concatenate went on after the end of a smaller
// operand.
std::vector<Found> from_existing(const ParsedModules& parsed, std::size_t operand, const NamedSizes& named) {
  const Instruction& root = *parsed.modules.at(0).entry->root;
  const Indices& out_sizes = named.at("r");
  const Indices& in_sizes = named.at(std::string(root.operands[operand].instruction->name));
  std::vector<Found> all;
  for (const Direction direction : {Direction::output_to_input, Direction::input_to_output}) {
    const bool back = direction == Direction::output_to_input;
    const auto maps =
        back ? output_to_input(root, {.operand = operand}) : input_to_output(root, {.operand = operand});
    EXPECT_TRUE(maps.has_value());
    if (!maps) continue;
    Found& found = all.emplace_back(Found{.direction = direction});
    for (const Indexing& x : *maps) {
      EXPECT_NE(x.exactness, Exactness::unknown) << x.reason;
      if (x.exactness == Exactness::unknown) continue;
      found.exact = found.exact && x.exactness == Exactness::exact;
      found.text += to_string(x.map) + " " + x.reason + "\n";
      for (const auto& [o, i] : relation_of(with_sizes(x, named), direction, {})) {
        if (exists(back ? out_sizes : in_sizes, back ? o : i)) found.pairs.insert({o, i});
      }
    }
  }
  return all;
}

void expect_covers(const Found& found, const Relation& truth) {
  if (found.exact) {
    EXPECT_EQ(found.pairs, truth) << found.text;
  } else {
    EXPECT_TRUE(std::ranges::includes(found.pairs, truth)) << found.text;
  }
}

// Named sizes make every map exact, but for directions in which not only sizes decide.
void check_named(const DynamicProgram& program, const OperandReads& reads) {
  SCOPED_TRACE("with names of sizes");
  const ParsedModules parsed = parse_hlo(std::string_view(program.text), {.sizes = true});
  ASSERT_TRUE(parsed.ok());
  for (const Found& found : from_existing(parsed, reads.operand, program.sizes)) {
    EXPECT_TRUE(found.exact || std::ranges::find(reads.open, found.direction) != reads.open.end())
        << found.text;
    expect_covers(found, reads.pairs);
  }
}

// The maps must cover the elements that are read. From existing elements, an exact answer must lead to no
// others.
void check(const DynamicProgram& program, const OperandReads& reads, int& supersets) {
  std::string sizes;
  for (const auto& [name, own] : program.sizes) sizes += fmt::format(", {} of {}", fmt::join(own, ","), name);
  SCOPED_TRACE(fmt::format("{}operand {}, sizes{}", program.text, reads.operand, sizes));
  const ParsedModules parsed = parse_hlo(std::string_view(program.text));
  for (const Diagnostic& d : parsed.diagnostics) ADD_FAILURE() << to_string(d);
  ASSERT_TRUE(parsed.ok());
  for (const Found& found : from_existing(parsed, reads.operand, program.sizes)) {
    supersets += found.exact ? 0 : 1;
    expect_covers(found, reads.pairs);
  }
}

// Regression: maps that only hold for the largest sizes were marked exact; those of sums, products and
// windows went on to the bound. A sum over a dynamic and a fixed dimension read all of the fixed one.
TEST(DynamicSizesTest, MapsHoldForAllSizes) {
  int supersets = 0;
  const std::uint64_t first = seed(1);
  for (std::uint64_t i = 0; i < cases(2500) && !HasFailure(); ++i) {
    const std::optional<DynamicProgram> program = random_program(first + i);
    for (std::size_t k = 0; program && k < program->reads.size(); ++k) {
      check(*program, program->reads[k], supersets);
      check_named(*program, program->reads[k]);
    }
  }
  EXPECT_GT(supersets, 200);
}

// Regression: the maps of a scan, which reads no later step, depended on the number of steps.
TEST(DynamicSizesTest, AScanForwardsReadsWhatExists) {
  const auto exact = [](std::string_view reverse, Direction direction) {
    const ParsedModules parsed = parse_hlo(fmt::format(R"(step {{
  x = f32[] parameter(0)
  c = f32[] parameter(1)
  s = f32[] add(x, c)
  ROOT t = (f32[], f32[]) tuple(s, s)
}}
ENTRY e {{
  a = f32[<=4] parameter(0)
  z = f32[] constant(0)
  ROOT r = (f32[<=4], f32[]) scan(a, z), dimensions={{0}}, num_carries=1{}, to_apply=step
}})",
                                                       reverse));
    EXPECT_TRUE(parsed.ok());
    const Instruction& root = *parsed.modules.at(0).entry->root;
    const auto maps =
        direction == Direction::output_to_input ? output_to_input(root, {}) : input_to_output(root, {});
    return maps && maps->size() == 1 && maps->front().exactness == Exactness::exact;
  };
  EXPECT_TRUE(exact("", Direction::output_to_input));
  EXPECT_FALSE(exact("", Direction::input_to_output));
  EXPECT_FALSE(exact(", is_reverse=true", Direction::output_to_input));
  EXPECT_TRUE(exact(", is_reverse=true", Direction::input_to_output));
}

// Regression: without elements, neither the function of a reduction runs nor that of a scan, so that the
// other initial values are not read; their maps were exact. So was that of a loop's counter, up to the bound.
TEST(DynamicSizesTest, WhatMayNotRunMayNotRead) {
  const std::string reduction = R"(f {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = f32[] parameter(2)
  d = f32[] parameter(3)
  s = f32[] add(a, b)
  t = f32[] add(c, d)
  u = f32[] add(s, t)
  ROOT w = (f32[], f32[]) tuple(u, u)
}
ENTRY e {
  a = ROWS parameter(0)
  b = ROWS parameter(1)
  z = f32[] parameter(2)
  y = f32[] parameter(3)
  ROOT r = (f32[], f32[]) reduce(a, b, z, y), dimensions={0}, to_apply=f
})";
  const std::string scan = R"(step {
  c = f32[] parameter(0)
  d = f32[] parameter(1)
  s = f32[] add(c, d)
  ROOT t = (f32[], f32[], f32[]) tuple(s, s, s)
}
ENTRY e {
  z = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT r = (ROWS, f32[], f32[]) scan(z, y), dimensions={0}, num_carries=2, to_apply=step
})";
  const auto of = [](std::string text, std::string_view rows, std::size_t operand, std::size_t output) {
    for (std::size_t at = text.find("ROWS"); at != std::string::npos; at = text.find("ROWS"))
      text.replace(at, 4, rows);
    const ParsedModules parsed = parse_hlo(std::string_view(text));
    EXPECT_TRUE(parsed.ok());
    std::string out;
    for (const bool back : {true, false}) {
      const OutputOperand pair{.output = output, .operand = operand};
      const Instruction& root = *parsed.modules.at(0).entry->root;
      const auto maps = back ? output_to_input(root, pair) : input_to_output(root, pair);
      EXPECT_TRUE(maps);
      out += !maps || maps->empty()                        ? "none "
             : maps->front().exactness == Exactness::exact ? "exact "
                                                           : "superset ";
    }
    return out;
  };
  EXPECT_EQ(of(reduction, "f32[4]", 3, 0), "exact exact ");
  EXPECT_EQ(of(reduction, "f32[0]", 3, 0), "none none ");
  EXPECT_EQ(of(reduction, "f32[<=4]", 3, 0), "superset superset ");
  EXPECT_EQ(of(reduction, "f32[<=4]", 2, 0), "exact exact ");
  EXPECT_EQ(of(scan, "f32[4]", 1, 1), "exact exact ");
  EXPECT_EQ(of(scan, "f32[0]", 1, 1), "none none ");
  EXPECT_EQ(of(scan, "f32[<=4]", 1, 1), "superset superset ");
  EXPECT_EQ(of(scan, "f32[<=4]", 0, 1), "exact exact ");
  const ParsedModules loop = parse_hlo(std::string_view(R"(c {
  s = (s32[], f32[<=4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3)
  ROOT l = pred[] compare(i, n), direction=LT
}
b {
  s = (s32[], f32[<=4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[<=4] get-tuple-element(s), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  y = f32[<=4] negate(x)
  ROOT t = (s32[], f32[<=4]) tuple(j, y)
}
ENTRY e {
  a = f32[<=4] parameter(0)
  z = s32[] constant(0)
  t = (s32[], f32[<=4]) tuple(z, a)
  ROOT r = (s32[], f32[<=4]) while(t), condition=c, body=b
})"));
  ASSERT_TRUE(loop.ok());
  const auto readers = input_to_output(*loop.modules.at(0).entry->root, {.output = 1, .operand = 0});
  ASSERT_TRUE(readers);
  const auto of_counter = std::ranges::find(*readers, 0, &Indexing::leaf);
  ASSERT_NE(of_counter, readers->end());
  EXPECT_EQ(of_counter->exactness, Exactness::superset);
}

// Regression: the map of a predicate said that all elements up to the bound of a conditional read it.
TEST(DynamicSizesTest, OnlyElementsWithinTheSizesReadAPredicate) {
  const std::string_view text = R"(HloModule m
t { x = f32[<=4] parameter(0) ROOT n = f32[<=4] negate(x) }
f { x = f32[<=4] parameter(0) ROOT n = f32[<=4] copy(x) }
ENTRY e {
  p = pred[] parameter(0)
  a = f32[<=4] parameter(1)
  ROOT r = f32[<=4] conditional(p, a, a), true_computation=t, false_computation=f
})";
  for (const bool names : {false, true}) {
    const ParsedModules parsed = parse_hlo(text, {.sizes = names});
    ASSERT_TRUE(parsed.ok());
    const auto maps = input_to_output(*parsed.modules.at(0).entry->root, {.operand = 0});
    ASSERT_TRUE(maps);
    ASSERT_EQ(maps->size(), 1U);
    const Indexing& x = maps->front();
    ASSERT_EQ(x.exactness == Exactness::exact, names) << x.reason;
    for (Index size = 0; size <= 4 && names; ++size) {
      ASSERT_EQ(x.runtime.size(), 1U);
      Indexing known = x;
      detail::replace_runtime(known, 0, Expr::constant(size));
      EXPECT_EQ(relation_of(known, Direction::input_to_output, {}).size(), static_cast<std::size_t>(size));
    }
  }
}

// Dimensions that a program forces to be equal have one size: two reverses cancel.
TEST(DynamicSizesTest, EqualSizesShareAName) {
  const ParsedModules parsed = parse_hlo(std::string_view(R"(HloModule m
ENTRY e {
  a = f32[<=8,4] parameter(0)
  b = f32[<=8,4] parameter(1)
  s = f32[<=8,4] add(a, b)
  r = f32[<=8,4] reverse(s), dimensions={0}
  n = s32[] get-dimension-size(a), dimensions={0}
  c = f32[8,4] parameter(2)
  d = f32[<=8,4] set-dimension-size(c, n), dimensions={0}
  t = f32[<=8,4] multiply(r, d)
  ROOT u = f32[<=8,4] reverse(t), dimensions={0}
})"),
                                         {.sizes = true});
  ASSERT_TRUE(parsed.ok());
  const Instruction& root = *parsed.modules.at(0).entry->root;
  ProgramIndexing program;
  const auto reads = program.grouped({.value = {&root, 0}});
  ASSERT_TRUE(reads);
  std::map<std::string, std::string, std::less<>> maps;
  for (const ValueIndexing& v : *reads) {
    ASSERT_EQ(v.maps.size(), 1U);
    EXPECT_EQ(v.maps[0].exactness, Exactness::exact);
    for (const RuntimeValue& size : v.maps[0].runtime)
      EXPECT_EQ(size.text, "n0, the size of dimension 0 of a");
    EXPECT_LE(v.maps[0].runtime.size(), 1U);
    maps[std::string(v.value.instruction->name)] = to_string(v.maps[0].map);
  }
  EXPECT_TRUE(maps["c"].starts_with("(d0, d1){rt0} -> (-d0 + rt0 - 1, d1)")) << maps["c"];
  EXPECT_TRUE(maps["a"].find("-> (d0, d1)") != std::string::npos) << maps["a"];
}

}  // namespace
}  // namespace tessera::laws::dynamic_sizes
