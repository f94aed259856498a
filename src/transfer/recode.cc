// SPDX-License-Identifier: Apache-2.0
#include "transfer/recode.h"

#include <fmt/core.h>

#include <charconv>

namespace tessera {

Result<Recode> parse_recode(std::string_view text) {
  const auto whole = Span{0, static_cast<std::uint32_t>(text.size())};
  const bool add = text.starts_with("add=");
  if (!add && !text.starts_with("xor=")) {
    return fail(
        Code::bad_option, fmt::format("'{}' is not a change of codes", text), whole,
        "write add=C or xor=C: add=1 for zero points stored minus one, xor=8 from offset binary to s4");
  }
  std::string_view digits = text.substr(4);
  const bool hex = digits.starts_with("0x") || digits.starts_with("0X");
  if (hex) digits.remove_prefix(2);
  Recode out{.kind = add ? Recode::Kind::add : Recode::Kind::invert};
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, out.value, hex ? 16 : 10);
  if (error == std::errc::result_out_of_range && stop == end)
    return fail(Code::number_range, fmt::format("'{}' has a number beyond 64 bits", text), whole);
  if (digits.empty() || stop != end) {
    const bool negative = digits.starts_with("-");
    return fail(negative ? Code::number_range : Code::bad_option,
                negative ? fmt::format("'{}' has a negative number", text)
                         : fmt::format("'{}' does not end with a number", text),
                whole,
                add ? "sums are modulo 2^bits: to subtract 1 from 4 bits, write add=15"
                    : "write the bits to invert as a number: xor=8");
  }
  return out;
}

std::string to_string(const Recode& recode) {
  return fmt::format("{}={}", recode.kind == Recode::Kind::add ? "add" : "xor", recode.value);
}

}  // namespace tessera
