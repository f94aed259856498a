// SPDX-License-Identifier: Apache-2.0
/// \file
/// "Did you mean ...?"
#pragma once

#include <cstddef>
#include <string_view>

#include "tessera/hlo/module.h"

namespace tessera::detail {

/// Finds the most similar word, if at most a third of its letters differ.
class Nearest {
 public:
  explicit Nearest(std::string_view word);
  /// O(product of the lengths).
  void offer(std::string_view candidate);
  /// The best candidate, the first among equals; empty if none is similar.
  std::string_view found() const { return found_; }

 private:
  std::string_view word_;
  std::size_t best_;
  std::string_view found_;
};

/// The error for a missing attribute; the help names a similar one.
Diagnostic missing_attribute(const Instruction& instruction, std::string_view key);

/// The most similar opcode, instruction or computation; empty if none is similar.
std::string_view similar_opcode(std::string_view text);
std::string_view similar_name(std::string_view name, const Computation& computation);
std::string_view similar_name(std::string_view name, const HloModule& module);

}  // namespace tessera::detail
