// SPDX-License-Identifier: Apache-2.0
/// \file
/// The indices of a box, and their text.
#pragma once

#include <span>
#include <string>

#include "tessera/base/index.h"

namespace tessera {

/// `2,3`; `()` without dimensions.
std::string coordinate_text(std::span<const Index> index);

/// Advances to the next index of the box [begin, end), the last dimension fastest; false after the last
/// index.
bool next_index(std::span<Index> index, std::span<const Index> begin, std::span<const Index> end);

}  // namespace tessera
