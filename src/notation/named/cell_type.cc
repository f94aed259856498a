// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tessera/notation/named_layout.h"

namespace tessera {

std::string to_string(const CellType& type) {
  if (type.dtype) return std::string(to_string(*type.dtype));
  return fmt::format("{}{}", type.is_signed ? 's' : 'u', type.bits);
}

std::optional<CellType> parse_cell_type(std::string_view name) {
  if (const auto dtype = parse_dtype(name)) {
    if (!is_array_type(*dtype)) return std::nullopt;
    return CellType{dtype, bit_width(*dtype), dtype_class(*dtype) == DTypeClass::signed_integer};
  }
  if (name.size() != 2 || (name[0] != 'u' && name[0] != 's')) return std::nullopt;
  const int bits = name[1] - '0';
  if (bits != 3 && bits != 5 && bits != 6 && bits != 7) return std::nullopt;
  return CellType{std::nullopt, bits, name[0] == 's'};
}

CellType unsigned_type(int bits) {
  return parse_cell_type(fmt::format("u{}", bits)).value_or(CellType{std::nullopt, bits, false});
}

}  // namespace tessera
