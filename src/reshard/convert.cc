// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "reshard/converted.h"

namespace tessera {

Result<Distribution> convert(const BoundDistribution& distribution, DistributionNotation to) {
  if (to == DistributionNotation::mesh) return detail::to_mesh(distribution);
  if (to == DistributionNotation::xla) return detail::to_xla(distribution);
  return fail(Code::bad_option, fmt::format("no conversion to {}", to_string(to)), {},
              "convert to mesh or xla");
}

}  // namespace tessera
