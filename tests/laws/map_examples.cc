// SPDX-License-Identifier: Apache-2.0
#include "laws/map_examples.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tessera/hlo/module.h"
#include "tessera/hlo/walk.h"
#include "tessera/map/judge.h"
#include "tessera/text/index_map.h"

namespace tessera::laws {
namespace {

void expect_same(const IndexMap& found, std::string_view text) {
  const auto expected = parse_index_map(text);
  ASSERT_TRUE(expected.has_value()) << text;
  if (expected->known_empty()) {
    EXPECT_TRUE(found.known_empty()) << to_string(found);
    return;
  }
  EXPECT_EQ(equal(found, *expected).verdict, Verdict::yes) << to_string(found) << "\nexpected " << text;
  EXPECT_LE(size(found), size(*expected)) << to_string(found) << "\nexpected " << text;
}

}  // namespace

void check_example(const MapExample& example) {
  const std::string text = example.hlo.find("ENTRY") == std::string_view::npos
                               ? fmt::format("ENTRY e {{\n{}\n}}\n", example.hlo)
                               : std::string(example.hlo);
  SCOPED_TRACE(fmt::format("{}{} output {}, operand {}", text,
                           example.direction == kToInput ? "output to input," : "input to output,",
                           example.output, example.operand));
  const ParsedModules parsed = parse_hlo(std::string_view(text));
  ASSERT_TRUE(parsed.ok()) << to_string(parsed.diagnostics.front());
  const Instruction& root = *parsed.modules[0].entry->root;
  const OutputOperand pair{.output = example.output, .operand = example.operand};
  const auto answer =
      example.direction == kToInput ? output_to_input(root, pair) : input_to_output(root, pair);
  ASSERT_TRUE(answer.has_value());
  ASSERT_EQ(answer->size(), example.exactness == Exactness::unknown ? 1 : example.maps.size());
  for (std::size_t i = 0; i < answer->size(); ++i) {
    EXPECT_EQ((*answer)[i].exactness, example.exactness) << (*answer)[i].reason;
    EXPECT_EQ((*answer)[i].reason.empty(), example.exactness == Exactness::exact);
    if (example.exactness != Exactness::unknown) expect_same((*answer)[i].map, example.maps[i]);
  }
  if (answer->empty()) return;
  const Indexing& first = answer->front();
  ASSERT_EQ(first.runtime.size(), example.runtime.size());
  for (std::size_t i = 0; i < first.runtime.size(); ++i) {
    const std::string_view expected = example.runtime[i];
    const auto end = expected.find(';');
    const RuntimeValue& value = first.runtime[i];
    EXPECT_EQ(value.source != nullptr ? value.source->name : std::string_view(value.text),
              expected.substr(0, end));
    if (end != std::string_view::npos) expect_same(value.map, expected.substr(end + 1));
  }
  ASSERT_EQ(first.replica.size(), example.replica.size());
  for (std::size_t i = 0; i < first.replica.size(); ++i)
    expect_same(first.replica[i].map, example.replica[i]);
}

}  // namespace tessera::laws
