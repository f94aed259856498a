// SPDX-License-Identifier: Apache-2.0
/// \file
/// Evaluates functions in the small part of C that generated code uses, as the language defines it: division
/// truncates, and an int32_t or int64_t that overflows is an error.
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
  /// The last function of a source text.
  explicit CFunction(std::string_view source);

  struct Outcome {
    std::string error = {};  ///< an overflow, or a text that is not understood
    /// The returned value, or what was written through the pointers; empty after `return false`.
    std::optional<std::vector<Index>> values = {};
  };
  Outcome operator()(std::span<const Index> arguments) const;

  int bits() const { return bits_; }

 private:
  std::vector<std::string> tokens_;  // of the body
  std::vector<std::string> parameters_;
  int bits_ = 64;
};

}  // namespace tessera::laws
