// SPDX-License-Identifier: Apache-2.0
/// \file
/// Codes in wider cells.
#pragma once

#include <cstdint>

#include "tessera/notation/named_layout.h"

namespace tessera::transfer {

inline bool has_sign(const CellType& type) {
  return type.dtype ? dtype_class(*type.dtype) == DTypeClass::signed_integer : type.is_signed;
}

/// A code in a cell of `bits` bits: with the sign of a signed type, else with zeros.
inline std::uint64_t widened(std::uint64_t code, const CellType& type, Index bits) {
  if (bits <= type.bits || !has_sign(type) || (code >> (type.bits - 1) & 1) == 0) return code;
  return code | (~std::uint64_t{0} >> (64 - bits) & ~(~std::uint64_t{0} >> (64 - type.bits)));
}

}  // namespace tessera::transfer
