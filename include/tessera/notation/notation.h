// SPDX-License-Identifier: Apache-2.0
/// \file
/// Notation: the ways in which communities write layouts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tessera {

/// Every notation, X(name). This is the only list of notations. Each line names a folder of src/notation,
/// where `<name>_traits()` says how to read and print the notation and how to convert to it.
#define TESSERA_NOTATIONS(X)                               \
  X(xla)     /* f32[3,5]{1,0:T(2,2)} */                    \
  X(cute)    /* ((2,2),(2,3)):((2,12),(1,4)) crop (3,5) */ \
  X(morello) /* 6x8:[1, 0, 1 p(4)] */                      \
  X(strides) /* np:(6,8):(1,6) + 7 */                      \
  X(linear)  /* d0:1,16 d1:2,4,8 */                        \
  X(onednn)  /* 2x32x7x7:aBcd16b */                        \
  X(map)     /* (d0) -> (d0 * 8), domain: d0 in [0, 3] */

enum class Notation : std::uint8_t {
#define TESSERA_NOTATION(name) name,
  TESSERA_NOTATIONS(TESSERA_NOTATION)
#undef TESSERA_NOTATION
};

/// All notations in the order of TESSERA_NOTATIONS.
std::span<const Notation> all_notations();

/// The name: `xla`, `cute`, `morello`, ...
std::string_view to_string(Notation notation);
std::optional<Notation> parse_notation(std::string_view name);

/// The prefix that selects a notation in a text, without its colon: `xla`, `cute`, `mor`, `np`, `ll`, `dnn`,
/// `map`.
std::string_view prefix(Notation notation);
/// The notation that a text names by its prefix.
std::optional<Notation> notation_prefix(std::string_view text);

}  // namespace tessera
