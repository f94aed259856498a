// SPDX-License-Identifier: Apache-2.0
/// \file
/// Distributions in mesh notation, which can express all of them.
#pragma once

#include "tessera/base/result.h"
#include "tessera/reshard/distribution.h"

namespace tessera::detail {

Distribution to_mesh(const BoundDistribution& bound);

}  // namespace tessera::detail
