// SPDX-License-Identifier: Apache-2.0
/// \file
/// A one-to-one change of codes during a copy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tessera/base/result.h"

namespace tessera {

/// Adds a number modulo 2^bits, or inverts bits. Each element is changed by itself; nothing carries into its
/// neighbors.
struct Recode {
  enum class Kind : std::uint8_t { add, invert };
  Kind kind = Kind::add;
  std::uint64_t value = 0;

  /// The new code of an element of `bits` bits.
  std::uint64_t operator()(std::uint64_t code, int bits) const {
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bits);
    return (kind == Kind::add ? code + value : code ^ value) & mask;
  }
  friend bool operator==(const Recode&, const Recode&) = default;
};

/// Reads `add=C` or `xor=C`, decimal or hexadecimal. Errors: bad_option for another form; number_range for a
/// number beyond 64 bits.
Result<Recode> parse_recode(std::string_view text);
/// `add=15`, `xor=8`.
std::string to_string(const Recode& recode);

}  // namespace tessera
