// SPDX-License-Identifier: Apache-2.0
// Layouts of Triton as placements.
#include <algorithm>
#include <optional>
#include <utility>

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

namespace {

// Where an input goes: the axis, and the bits below it.
struct AxeAxis {
  PlacementAxis axis;
  std::size_t shift = 0;
};

std::optional<AxeAxis> axe_axis(const TritonInput& input, std::size_t lane_bits, bool as_threads) {
  if (input.name == "register" || input.name == "offset") return AxeAxis{{"m", AxisRole::memory}};
  if (input.name == "row") return AxeAxis{{"TLane", AxisRole::memory}};
  if (input.name == "col") return AxeAxis{{"TCol", AxisRole::memory}};
  if (as_threads && input.name == "lane") return AxeAxis{{"tx", AxisRole::place}};
  if (as_threads && input.name == "warp") return AxeAxis{{"tx", AxisRole::place}, lane_bits};
  if (input.bases.empty()) return std::nullopt;
  if (input.name == "lane") return AxeAxis{{"laneid", AxisRole::place}};
  if (input.name == "warp") return AxeAxis{{"warpid", AxisRole::place}};
  if (input.name == "block") return AxeAxis{{"cbx", AxisRole::place}};
  return AxeAxis{{std::string(input.name), AxisRole::memory}};
}

}  // namespace

Result<Placement> triton_axe_placement(const TritonBases& bases, bool as_threads) {
  TESSERA_TRY(own, triton_placement(bases));
  std::vector<PlacementAxis> axes;
  std::vector<std::optional<std::pair<std::size_t, std::size_t>>> to;  // of each input: an axis and a shift
  for (const TritonInput& input : bases.inputs) {
    const auto found = axe_axis(input, bases.of("lane").size(), as_threads);
    if (!found) {
      to.emplace_back();
      continue;
    }
    const auto same = std::ranges::find(axes, found->axis);
    to.emplace_back(std::pair(static_cast<std::size_t>(same - axes.begin()), found->shift));
    if (same == axes.end()) axes.push_back(found->axis);
  }
  PlacementDigits digits = *own.digits();
  const auto move = [&](std::vector<Index>& values) {
    std::vector<Index> out(axes.size(), 0);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (to[i]) out[to[i]->first] |= values[i] << to[i]->second;
    }
    values = std::move(out);
  };
  move(digits.offset);
  for (auto* list : {&digits.index, &digits.replicas}) {
    for (PlacementDigit& digit : *list) move(digit.step);
  }
  return Placement::make(bases.shape, std::move(axes), std::move(digits));
}

}  // namespace tessera
