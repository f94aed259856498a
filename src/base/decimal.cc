// SPDX-License-Identifier: Apache-2.0
#include "base/decimal.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

namespace tessera::detail {

Decimal read_decimal(std::string_view text) {
#if defined(__cpp_lib_to_chars)
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return {value, text.substr(static_cast<std::size_t>(end - text.data())), error};
#else
  // Unlike from_chars, strtod skips spaces and reads a plus sign and hexadecimal numbers.
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  const bool word = digits.starts_with('i') || digits.starts_with('I') || digits.starts_with('n') ||
                    digits.starts_with('N');
  const bool number = !digits.empty() && ((digits[0] >= '0' && digits[0] <= '9') || digits[0] == '.');
  if (!word && !number) return {0, text, std::errc::invalid_argument};
  const std::size_t x = digits.find_first_of("xX");
  const std::string terminated(text.substr(0, x == 1 ? text.size() - digits.size() + 1 : text.size()));
  char* end = nullptr;
  const double value = std::strtod(terminated.c_str(), &end);
  if (end == terminated.c_str()) return {0, text, std::errc::invalid_argument};
  const std::string_view rest = text.substr(static_cast<std::size_t>(end - terminated.c_str()));
  if (word) return {value, rest, {}};
  const bool too_large = std::isinf(value);
  const bool too_small =
      value == 0 &&
      digits.substr(0, digits.find_first_of("eE")).find_first_of("123456789") != std::string_view::npos;
  if (too_large || too_small) return {0, rest, std::errc::result_out_of_range};
  return {value, rest, {}};
#endif
}

}  // namespace tessera::detail
