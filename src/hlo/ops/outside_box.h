// SPDX-License-Identifier: Apache-2.0
/// \file
/// What is left of a box without smaller boxes.
#pragma once

#include <span>
#include <vector>

#include "tessera/map/index_map.h"

namespace tessera::detail {

/// Replaces each part by what is left of it without the box from `corner` with extents `sizes`: the places
/// before and after the box in each dimension, inside the box in the dimensions before that one. Parts have
/// only dimensions and do not overlap, before and after. At most 2 * rank for each part that the box meets.
void remove_box(std::vector<Domain>& parts, std::span<const Index> corner, std::span<const Index> sizes);

}  // namespace tessera::detail
