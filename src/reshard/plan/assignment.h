// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "tessera/base/index.h"

namespace tessera::detail {

/// The best places for the parts of the target: part j goes to result[j]. `gain[j][p]` is what part j saves
/// at place p. Requires at least as many columns as rows. O(rows^2 * columns).
std::vector<std::size_t> best_assignment(const std::vector<std::vector<Index>>& gain);

}  // namespace tessera::detail
