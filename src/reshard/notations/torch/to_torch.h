// SPDX-License-Identifier: Apache-2.0
/// \file
/// Distributions as a DeviceMesh with placements.
#pragma once

#include "tessera/base/result.h"
#include "tessera/reshard/distribution.h"

namespace tessera::detail {

/// Errors: not_representable with the reason placements and a witness, or undecided, if none were found, but
/// there were too many to try.
Result<Distribution> to_torch(const BoundDistribution& bound);

}  // namespace tessera::detail
