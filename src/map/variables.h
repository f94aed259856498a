// SPDX-License-Identifier: Apache-2.0
/// \file
/// Removes variables that nothing needs.
#pragma once

#include <optional>

#include "map/variable_set.h"
#include "tessera/map/map_algebra.h"

namespace tessera::detail {

/// As `remove_unused_vars`, for variables that are not `needed`; the results must use only needed ones. Empty
/// if no variable can be removed. O(nodes) if none can.
std::optional<Removal> remove_unneeded(const IndexMap& map, VariableSet needed);

}  // namespace tessera::detail
