// SPDX-License-Identifier: Apache-2.0
/// \file
/// Distributions as NamedSharding.
#pragma once

#include "tessera/base/result.h"
#include "tessera/reshard/distribution.h"

namespace tessera::detail {

/// Errors: those of to_xla.
Result<Distribution> to_jax(const BoundDistribution& bound);

}  // namespace tessera::detail
