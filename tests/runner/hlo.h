// SPDX-License-Identifier: Apache-2.0
/// \file
/// Parses the HLO texts of vectors, and compares operand maps by the rules in the README of `indexing`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runner/check.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/walk.h"

namespace tessera::vectors {

/// A text with exactly one module, or the reason why it does not have one.
struct Program {
  ParsedModules parsed;
  std::string error = {};

  const HloModule& module() const { return parsed.modules.front(); }
  const Instruction& root() const { return *module().entry->root; }
};
Program read_program(const std::string& text);

/// Compares with a set of operand indexings or map texts, in any order. `match`: exact, xla-compat,
/// equivalent, equivalent-and-not-larger, exact-pairing or reason-present.
VectorResult judge_indexings(const Json& expected, const std::string& match, const IndexingSet& got,
                             const HloModule& module);

std::string to_text(const IndexingSet& set);

}  // namespace tessera::vectors
