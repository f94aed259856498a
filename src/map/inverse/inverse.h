// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tessera/map/index_map.h"

namespace tessera::detail {

/// The relational inverse (map_algebra.h), also if its steps may exceed 64 bits: there it has no points.
IndexMap inverse_relation(const IndexMap& map);

}  // namespace tessera::detail
