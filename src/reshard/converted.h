// SPDX-License-Identifier: Apache-2.0
/// \file
/// Distributions in other notations.
#pragma once

#include "tessera/reshard/distribution.h"

namespace tessera::detail {

Distribution to_mesh(const BoundDistribution& bound);
/// Errors: not_representable, with the reason runs, sizes or places.
Result<Distribution> to_xla(const BoundDistribution& bound);

}  // namespace tessera::detail
