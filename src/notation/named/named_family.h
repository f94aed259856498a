// SPDX-License-Identifier: Apache-2.0
/// \file
/// NamedFamily: a name, its parameters, and the function that writes its order. The tables are
/// scale_families.inc and pack_families.inc.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "notation/named/array_order.h"

namespace tessera::detail {

/// Which values a parameter takes.
struct ParameterRule {
  enum class Kind : std::uint8_t { multiple, one_of, power_of_two, groups };

  std::string_view key;
  Index fallback = 1;
  Kind kind = Kind::multiple;
  Index unit = 1;                        ///< multiple: of this number
  std::span<const Index> values = {};    ///< one_of
  std::span<const Index> searched = {};  ///< that the search for names tries; empty: only the default
  std::string_view meaning = {};

  bool takes(Index value) const;
};

/// Types by width: bit w for w bits.
using Widths = std::uint64_t;
template <class... Int>
constexpr Widths widths(Int... bits) {
  return ((Widths{1} << bits) | ...);
}

struct NamedFamily {
  std::string_view prefix;
  std::string_view name;
  std::size_t rank = 2;
  std::string_view type;  ///< the default
  Widths takes = 0;
  std::span<const ParameterRule> parameters = {};
  std::string_view indices;  ///< the names of the last dimensions in `formula`: `m, k`
  std::string_view formula;
  std::string_view meaning;
  std::string_view source;
  void (*write)(OrderWriter& order) = nullptr;
  /// Whether an index has the same offset for every extent of the first dimension, each of which is allowed.
  bool free_rows = false;
  bool searched = true;  ///< whether the search for names tries it; false for families that equal others
};

/// The families of `scale` and `pack`, in the order of the documentation.
std::span<const NamedFamily> families();
/// The family of this name, or null.
const NamedFamily* find_family(std::string_view prefix, std::string_view name);

}  // namespace tessera::detail
