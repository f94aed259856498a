// SPDX-License-Identifier: Apache-2.0
/// \file
/// Distributions as XLA shardings.
#pragma once

#include <string_view>

#include "tessera/base/result.h"
#include "tessera/reshard/distribution.h"

namespace tessera::detail {

/// `noun` names the result in errors. Errors: not_representable, with the reason runs, sizes or places.
Result<Distribution> to_xla(const BoundDistribution& bound, std::string_view noun = "XLA sharding");

}  // namespace tessera::detail
