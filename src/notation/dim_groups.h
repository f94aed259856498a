// SPDX-License-Identifier: Apache-2.0
/// \file
/// Dimensions in groups.
#pragma once

#include <cstddef>
#include <vector>

namespace tessera::detail {

/// The dimensions of each group.
using DimGroups = std::vector<std::vector<std::size_t>>;

}  // namespace tessera::detail
