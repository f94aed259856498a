// SPDX-License-Identifier: Apache-2.0
/// \file
/// The text of a distribution in mesh notation.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tessera/reshard/distribution.h"

namespace tessera::detail {

/// The canonical text of a distribution in mesh notation, for arrays of this rank.
std::string mesh_text(const PlaceMesh& mesh, const std::vector<DimCut>& cuts, std::size_t rank);

}  // namespace tessera::detail
