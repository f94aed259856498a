// SPDX-License-Identifier: Apache-2.0
/// \file
/// Programs for the tests of the walk.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/hlo/walk.h"

namespace tessera {

/// Maps as text; unknown ones as their reason.
inline std::vector<std::string> texts(const IndexingSet& maps) {
  std::vector<std::string> out;
  for (const Indexing& x : maps) {
    out.push_back(x.exactness == Exactness::unknown ? "unknown: " + x.reason : to_string(x.map));
  }
  return out;
}

class WalkTest : public ::testing::Test {
 protected:
  void read(std::string_view text) {
    parsed_ = parse_hlo(text);
    for (const Diagnostic& d : parsed_.diagnostics) ADD_FAILURE() << to_string(d);
  }
  const HloModule& module() const { return parsed_.modules.at(0); }
  const Instruction& entry(std::string_view name) const { return *module().entry->find(name); }
  const Instruction& inner(std::string_view computation, std::string_view name) const {
    return *module().find(computation)->find(name);
  }
  std::vector<std::string> back(const Instruction& i, std::size_t operand, std::size_t output = 0) {
    return texts(*output_to_input(i, {.output = output, .operand = operand}));
  }
  std::vector<std::string> forth(const Instruction& i, std::size_t operand, std::size_t output = 0) {
    return texts(*input_to_output(i, {.output = output, .operand = operand}));
  }

  ParsedModules parsed_;
  ProgramIndexing program_;
};

}  // namespace tessera
