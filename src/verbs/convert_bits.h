// SPDX-License-Identifier: Apache-2.0
/// \file
/// Conversions of layouts of bits.
#pragma once

#include <optional>

#include "tessera/base/result.h"
#include "tessera/notation/conversion.h"

namespace tessera::verbs {

/// A layout of bits in XLA's notation, as an array of u1 in cells of one bit. `buffer_bits`: of the source,
/// if they are known; tiles that allocate fewer get L(...).
Result<Conversion> with_cells_of_one_bit(Conversion conversion, std::optional<Index> buffer_bits);

}  // namespace tessera::verbs
