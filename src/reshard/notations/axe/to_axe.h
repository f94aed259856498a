// SPDX-License-Identifier: Apache-2.0
/// \file
/// Distributions as Axe layouts.
#pragma once

#include "tessera/base/result.h"
#include "tessera/reshard/distribution.h"

namespace tessera::detail {

/// `on` lists the devices where Axe numbers the places otherwise: row-major over the axes by name. Errors:
/// those of axe_of and distribution_of; not_representable with the reason `places` (thread axes that number
/// places with gaps).
Result<Distribution> to_axe(const BoundDistribution& bound);

}  // namespace tessera::detail
