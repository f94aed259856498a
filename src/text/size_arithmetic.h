// SPDX-License-Identifier: Apache-2.0
/// \file
/// Arithmetic on sizes: `4 * K - 1`, `cdiv(a, b)`.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "tessera/base/index.h"
#include "tessera/base/result.h"

namespace tessera::detail {

/// What the names of an arithmetic text mean.
struct SizeNames {
  /// The size of a name.
  std::function<Result<Index>(const std::string&)> size_of = {};
  /// The value of `$key`; empty if there are no keys.
  std::function<Result<Index>(const std::string&)> key_of = {};
  bool exact_division = false;    ///< a remainder is an error; else `/` rounds down
  std::string_view subject = {};  ///< whose size it is, for messages: `axis 'q'`
  std::string_view help = "write + - * / and cdiv(a, b) between numbers and names";
};

/// The value of a text of `+ - * /`, parentheses, and `cdiv(a, b)`, which rounds up. Errors: those of the
/// names, syntax, limit (deep parentheses), shape_mismatch (a remainder), number_range (a divisor below 1),
/// overflow. O(text).
Result<Index> size_arithmetic(std::string_view text, const SizeNames& names);

}  // namespace tessera::detail
