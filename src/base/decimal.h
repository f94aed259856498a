// SPDX-License-Identifier: Apache-2.0
/// \file
/// Decimal numbers as doubles.
#pragma once

#include <string_view>
#include <system_error>

namespace tessera::detail {

/// The number at the beginning of a text.
struct Decimal {
  double value = 0;
  std::string_view rest = {};  ///< the text after the number
  /// `invalid_argument`: there is no number. `result_out_of_range`: its magnitude does not fit in a double;
  /// `value` is 0.
  std::errc error = {};
};

/// Like std::from_chars, which libc++ 19 lacks for doubles.
Decimal read_decimal(std::string_view text);

}  // namespace tessera::detail
