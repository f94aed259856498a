// SPDX-License-Identifier: Apache-2.0
/// \file
/// The image of a map, computed by isl. Undecided unless isl is built in.
#pragma once

#include <optional>
#include <vector>

#include "tessera/map/index_map.h"

namespace tessera::detail {

/// The set of result tuples as a union of pieces, each over dimensions r0, r1, ...; empty if undecided.
std::optional<std::vector<Domain>> isl_image(const IndexMap& map, unsigned long max_operations);

}  // namespace tessera::detail
