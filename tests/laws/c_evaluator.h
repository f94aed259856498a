// SPDX-License-Identifier: Apache-2.0
/// \file
/// Evaluates functions in the small subset of C that generated code uses, according to the language's rules:
/// division truncates, and overflow of an int32_t or int64_t is an error.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/index.h"

namespace tessera::laws {

class CFunction {
 public:
  /// Takes the last function of a source text.
  explicit CFunction(std::string_view source);

  struct Outcome {
    std::string error = {};  ///< an overflow, or text outside the subset
    /// The returned value, or the values written through pointers. Empty after `return false`.
    std::optional<std::vector<Index>> values = {};
  };
  Outcome operator()(std::span<const Index> arguments) const;

  int bits() const { return bits_; }

 private:
  std::vector<std::string> tokens_;  // tokens of the body
  std::vector<std::string> parameters_;
  int bits_ = 64;
};

}  // namespace tessera::laws
