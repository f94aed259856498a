// SPDX-License-Identifier: Apache-2.0
/// \file
/// FlatBases: the bases of a register layout as numbers, one bit for each bit of an element's index.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "algebra/bit_space.h"
#include "notation/triton/basis_lists.h"
#include "tessera/notation/triton_layout.h"

namespace tessera::moving {

struct FlatBases {
  /// Register, lane, warp, block. Zero bases of registers are left out.
  std::array<std::vector<std::uint64_t>, 4> inputs = {};
  int element_bits = 0;  ///< of an index of the tensor

  const std::vector<std::uint64_t>& registers() const { return inputs[0]; }
  const std::vector<std::uint64_t>& lanes() const { return inputs[1]; }
  Index warps() const { return Index{1} << inputs[2].size(); }
  /// The span of the first inputs.
  tessera::detail::BitSpace span(std::size_t count) const {
    tessera::detail::BitSpace out;
    for (std::size_t j = 0; j < count; ++j) {
      for (const std::uint64_t basis : inputs[j]) out.add(basis);
    }
    return out;
  }
};

inline FlatBases flat_bases(const TritonBases& bases) {
  FlatBases out;
  constexpr std::string_view kInputs[] = {"register", "lane", "warp", "block"};
  for (std::size_t j = 0; j < 4; ++j) {
    for (const std::vector<Index>& basis : bases.of(kInputs[j])) {
      const auto flat = static_cast<std::uint64_t>(triton::flat_of(basis, bases.shape));
      if (flat != 0 || j > 0) out.inputs[j].push_back(flat);
    }
  }
  for (const Index extent : bases.shape) out.element_bits += triton::log2_of(extent);
  return out;
}

}  // namespace tessera::moving
