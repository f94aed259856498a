// SPDX-License-Identifier: Apache-2.0
/// \file
/// Tilings of all arrays of a result together, such as that of a fusion with several roots.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "tessera/tile/tile.h"

namespace tessera::detail {

/// valid_tilings of all arrays of the result together. `Tiling::sizes` are those of leaf `first`; dimensions
/// of other leaves are as in tiles_read_by_all, and dimensions that are summed over are whole. Errors: those
/// of valid_tilings.
Result<TilingSearch> valid_result_tilings(ProgramIndexing& program, const Instruction& instruction,
                                          std::size_t first, std::span<const Index> sizes,
                                          std::optional<Index> budget);

}  // namespace tessera::detail
