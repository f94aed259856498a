// SPDX-License-Identifier: Apache-2.0
#include "hlo/ops/op_facts.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>

#include "hlo/ops/apply_rule.h"
#include "hlo/ops/rule.h"
#include "tessera/hlo/module.h"

namespace tessera::detail {
namespace {

Instruction& root_of(ParsedModules& parsed, const std::string& body) {
  parsed = parse_hlo(
      "add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT z = f32[] add(x, y) }\nENTRY e {\n"
      "a = f32[4] parameter(0)\nb = f32[4] parameter(1)\nc = f32[4] parameter(2)\n"
      "t = (f32[4], (f32[4], s32[])) parameter(3)\n" +
      body + "\n}");
  EXPECT_TRUE(parsed.diagnostics.empty());
  return *parsed.modules.at(0).entry->root;
}

// Checks that operands_read and the readers agree, and that all other pairs have no maps.
void check_pairs(const std::string& body) {
  SCOPED_TRACE(body);
  ParsedModules parsed;
  const Instruction& op = root_of(parsed, body);
  Leaves leaves;
  OpFacts facts(op, leaves);
  for (std::size_t output = 0; output < facts.outputs(); ++output) {
    const NumberRange read = facts.operands_read(output);
    for (std::size_t operand = 0; operand < op.operands.size(); ++operand) {
      const bool reads = read.first <= operand && operand < read.last;
      if (!reads) {
        EXPECT_TRUE(output_to_input(facts, {.output = output, .operand = operand}).empty());
        EXPECT_TRUE(input_to_output(facts, {.output = output, .operand = operand}).empty());
      }
      for (std::size_t leaf = 0; leaf < facts.leaves_of(operand); ++leaf) {
        const OpFacts::Readers readers = facts.readers_of(operand, leaf);
        bool found = false;
        for (std::size_t at = readers.outputs.first; at < readers.outputs.last; at += readers.stride)
          found = found || at == output;
        EXPECT_EQ(found, facts.is_leafwise() ? output == leaf : reads) << output << " reads " << operand;
      }
    }
  }
}

TEST(OpFacts, OutputsAndOperandsThatBelongTogetherAreTheSameBothWays) {
  check_pairs("ROOT r = f32[12] concatenate(a, b, c), dimensions={0}");
  check_pairs("ROOT r = (f32[4], f32[4], f32[4]) all-reduce(a, b, c), replica_groups={{0,1}}, to_apply=add");
  check_pairs(
      "ROOT r = ((f32[4], f32[4]), (f32[8], f32[8])) all-gather-start(a, b), replica_groups={{0,1}}, "
      "dimensions={0}");
  check_pairs("ROOT r = (f32[4], (f32[4], s32[])) copy(t)");
}

// Regression: the list of devices was parsed, and the operands of a concatenation were counted, for every
// operand.
TEST(OpFacts, WhatAllQuestionsShareIsMadeOnce) {
  ParsedModules parsed;
  const Instruction& op = root_of(parsed, "ROOT r = f32[4] negate(a)");
  Leaves leaves;
  OpFacts facts(op, leaves);
  int made = 0;
  const auto make = [&] { return ++made; };
  EXPECT_EQ(facts.once<int>(make), 1);
  EXPECT_EQ(facts.once<int>(make), 1);
  EXPECT_EQ(facts.once<std::string>([] { return std::string("another"); }), "another");
}

}  // namespace
}  // namespace tessera::detail
