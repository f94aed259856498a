// SPDX-License-Identifier: Apache-2.0
/// \file
/// Helpers for the tests of the parser.
#pragma once

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "laws/hlo_laws.h"
#include "tessera/hlo/module.h"

namespace tessera::parser_test {

inline ParsedModules parse(std::string_view text) {
  ParsedModules parsed = parse_hlo(text);
  EXPECT_EQ(check_parsed(parsed), "");
  EXPECT_EQ(check_round_trip(parsed), "");
  return parsed;
}

// The one module of a text without any diagnostic.
inline ParsedModules parse_clean(std::string_view text) {
  ParsedModules parsed = parse(text);
  for (const Diagnostic& d : parsed.diagnostics) ADD_FAILURE() << render(d, *parsed.source);
  return parsed;
}

inline std::vector<Code> codes(const ParsedModules& parsed) {
  std::vector<Code> out;
  for (const Diagnostic& d : parsed.diagnostics) out.push_back(d.code);
  return out;
}

inline const Instruction& root(const ParsedModules& parsed) { return *parsed.modules.at(0).entry->root; }

inline std::vector<std::string_view> names(const Computation& computation) {
  std::vector<std::string_view> out;
  for (const auto& instruction : computation.instructions) out.push_back(instruction->name);
  return out;
}

}  // namespace tessera::parser_test
