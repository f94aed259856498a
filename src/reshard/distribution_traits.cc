// SPDX-License-Identifier: Apache-2.0
#include "reshard/distribution_traits.h"

#include <array>
#include <cstddef>

namespace tessera::detail {

const DistributionTraits& distribution_traits(DistributionNotation notation) {
  constexpr std::array kTraits = {
#define TESSERA_NOTATION(name, is_written) name##_distribution,
      TESSERA_DISTRIBUTION_NOTATIONS(TESSERA_NOTATION)
#undef TESSERA_NOTATION
  };
  return kTraits[static_cast<std::size_t>(notation)]();
}

}  // namespace tessera::detail
