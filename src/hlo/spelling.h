// SPDX-License-Identifier: Apache-2.0
/// \file
/// "Did you mean ...?"
#pragma once

#include <cstddef>
#include <string_view>

#include "tessera/hlo/module.h"

namespace tessera::detail {

/// Finds the word that differs least from another one, if that is little: at most every third letter.
class Nearest {
 public:
  explicit Nearest(std::string_view word);
  /// O(product of the lengths), or nothing where they differ too much.
  void offer(std::string_view candidate);
  /// A view of the best candidate, the first one among equals; empty: none was near.
  std::string_view found() const { return found_; }

 private:
  std::string_view word_;
  std::size_t best_;
  std::string_view found_;
};

/// The error of an instruction without the attribute: the help names one that is written almost like it.
Diagnostic missing_attribute(const Instruction& instruction, std::string_view key);

/// The known opcode, instruction or computation whose name differs least, if that is little; else empty.
std::string_view similar_opcode(std::string_view text);
std::string_view similar_name(std::string_view name, const Computation& computation);
std::string_view similar_name(std::string_view name, const HloModule& module);

}  // namespace tessera::detail
