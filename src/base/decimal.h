// SPDX-License-Identifier: Apache-2.0
/// \file
/// Decimal numbers as doubles.
#pragma once

#include <string_view>
#include <system_error>

namespace tessera::detail {

/// The number at the front of a text.
struct Decimal {
  double value = 0;
  std::string_view rest = {};  ///< what follows it
  /// `invalid_argument`: no number. `result_out_of_range`: no double is near it; `value` stays 0.
  std::errc error = {};
};

/// std::from_chars, also where the standard library has none for doubles (libc++ 19).
Decimal read_decimal(std::string_view text);

}  // namespace tessera::detail
