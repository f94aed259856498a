// SPDX-License-Identifier: Apache-2.0
/// \file
/// The parameters of a program whose memory its results may take.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hlo/module/leaves.h"
#include "tessera/hlo/module.h"

namespace tessera::detail {

/// An array of a parameter of the entry whose memory the caller gives up.
struct Donation {
  Index parameter = 0;
  std::uint32_t leaf = 0;
  std::optional<std::uint32_t> result = {};  ///< the leaf of the result that takes it; empty: any
};

/// What `input_output_alias` and `buffer_donor` of the header say. Nothing if they cannot be read.
std::vector<Donation> donations(const HloModule& module, Leaves& leaves);

}  // namespace tessera::detail
