// SPDX-License-Identifier: Apache-2.0
/// \file
/// The bytes of the elements of an array.
#pragma once

#include <optional>

#include "tessera/notation/tensor_type.h"

namespace tessera::detail {

/// Bits of one element in memory: E(...) of the layout, else whole bytes.
inline Index element_bits(const TensorType& type) {
  if (type.layout != nullptr && type.layout->element_bits > 0) return type.layout->element_bits;
  return ceil_div(Index{bit_width(type.dtype)}, 8) * 8;
}

/// Without padding. Empty if the type is not an array, an extent is unbounded, or the number exceeds 64 bits.
inline std::optional<Index> array_bytes(const HloType& type) {
  if (!type.is_array()) return std::nullopt;
  const auto elements = type.array().element_count();
  const auto bits = elements ? checked_mul(*elements, element_bits(type.array())) : std::nullopt;
  return bits ? std::optional(ceil_div(*bits, 8)) : std::nullopt;
}

}  // namespace tessera::detail
