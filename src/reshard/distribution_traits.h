// SPDX-License-Identifier: Apache-2.0
/// \file
/// DistributionTraits: how to recognize, read and write a notation of distributions.
#pragma once

#include <string_view>

#include "reshard/distribution_scanner.h"
#include "tessera/base/result.h"
#include "tessera/reshard/distribution.h"

namespace tessera::detail {

struct DistributionTraits {
  std::string_view example;  ///< for the help of an error
  /// Whether a text without a prefix is in this notation. No two notations claim one text.
  bool (*claim)(std::string_view text);
  /// Reads a text without its prefix, `local` and `on`. Errors have spans.
  Result<Distribution> (*read)(DistributionScanner& in);
  /// As `convert`. Null for a notation that is only read.
  Result<Distribution> (*write)(const BoundDistribution& bound) = nullptr;
  bool says_local = false;    ///< the text says how local arrays are stored
  bool lists_places = false;  ///< the text always lists its places
  bool names_axes = true;     ///< the text has names for the axes of its mesh
  /// \name For a notation whose texts need not list their places (Distribution::assumes_order)
  /// @{
  std::string_view omits = {};    ///< what a text without them lacks: `Mesh does not list its devices`
  std::string_view listing = {};  ///< how to write them: `Mesh(..., device_ids=[...])`
  /// @}
};

/// One function for each notation, in its folder of src/reshard/notations.
#define TESSERA_NOTATION(name, is_written) const DistributionTraits& name##_distribution();
TESSERA_DISTRIBUTION_NOTATIONS(TESSERA_NOTATION)
#undef TESSERA_NOTATION

const DistributionTraits& distribution_traits(DistributionNotation notation);

}  // namespace tessera::detail
