// SPDX-License-Identifier: Apache-2.0
/// \file
/// Distributions as `#sdy.sharding<...>`.
#pragma once

#include "tessera/base/result.h"
#include "tessera/reshard/distribution.h"

namespace tessera::detail {

/// Errors: those of to_xla.
Result<Distribution> to_sdy(const BoundDistribution& bound);

}  // namespace tessera::detail
