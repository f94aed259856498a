// SPDX-License-Identifier: Apache-2.0
// Layouts of Triton as placements.
#include <algorithm>

#include "algebra/bit_space.h"
#include "algebra/xor_rows.h"
#include "base/try.h"
#include "notation/triton/make_attribute.h"
#include "tessera/notation/triton_layout.h"
#include "tessera/placement/placement.h"

namespace tessera {

Result<Placement> triton_placement(const TritonBases& bases) {
  std::vector<PlacementAxis> axes;
  std::vector<std::size_t> bits;  // of each input
  detail::XorRows rows;
  detail::BitSpace kernel;
  for (const TritonInput& input : bases.inputs) {
    const bool memory =
        input.name == "offset" || input.name == "row" || input.name == "col" || input.name == "register";
    axes.push_back({std::string(input.name), memory ? AxisRole::memory : AxisRole::place});
    bits.push_back(input.bases.size());
    for (const std::vector<Index>& basis : input.bases) {
      const auto row = rows.add(triton::flat_of(basis, bases.shape));
      if (row.value == 0) kernel.add(static_cast<std::uint64_t>(row.added));
    }
  }
  if (!bases.pads.empty())
    return fail(Code::not_applicable, "an offset with padding is a sum, not an XOR", {},
                "take the layout as digits");
  // One number for each input.
  const auto step_of = [&](Index combined) {
    std::vector<Index> step;
    for (const std::size_t own : bits) {
      step.push_back(combined & ((Index{1} << own) - 1));
      combined >>= own;
    }
    return step;
  };
  PlacementDigits digits;
  digits.combination = DigitCombination::exclusive_or;
  digits.offset.assign(axes.size(), 0);
  // The row-major index: the last dimension is the fastest, so its lowest bit is the last digit.
  for (std::size_t d = 0; d < bases.shape.size(); ++d) {
    for (Index power = bases.shape[d] / 2; power >= 1; power /= 2) {
      std::vector<Index> unit(bases.shape.size(), 0);
      unit[d] = power;
      const auto found = rows.reduced({triton::flat_of(unit, bases.shape), 0});
      if (found.value != 0) return fail(Code::not_applicable, "the layout does not hold every element");
      digits.index.push_back({2, step_of(found.added)});
    }
  }
  for (const std::uint64_t vector : kernel.basis())
    digits.replicas.push_back({2, step_of(static_cast<Index>(vector))});
  return Placement::make(bases.shape, std::move(axes), std::move(digits));
}

}  // namespace tessera
