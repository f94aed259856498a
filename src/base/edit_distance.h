// SPDX-License-Identifier: Apache-2.0
/// \file
/// Edit distance of words, for suggestions.
#pragma once

#include <cstddef>
#include <string_view>

namespace tessera::detail {

/// The number of characters to change, add, drop or swap with a neighbor to turn one word into the other.
/// O(|a| |b|).
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace tessera::detail
