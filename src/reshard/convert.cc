// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "reshard/converted.h"

namespace tessera {

Result<Distribution> convert(const BoundDistribution& distribution, DistributionNotation to) {
  switch (to) {
    case DistributionNotation::mesh:
      return detail::to_mesh(distribution);
    case DistributionNotation::xla:
      return detail::to_xla(distribution);
    case DistributionNotation::jax:
      return detail::to_jax(distribution);
    case DistributionNotation::torch:
      return detail::to_torch(distribution);
    case DistributionNotation::sdy:
      return detail::to_sdy(distribution);
    case DistributionNotation::axe:
      return detail::to_axe(distribution);
    case DistributionNotation::scalapack:
      break;
  }
  return fail(Code::bad_option, fmt::format("no conversion to {}", to_string(to)), {},
              "convert to xla, jax, torch, sdy, mesh or axe");
}

}  // namespace tessera
