// SPDX-License-Identifier: Apache-2.0
#include "notation/axe/axe_of_triton.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/try.h"
#include "notation/axe/axe_canonical.h"
#include "notation/not_representable.h"

namespace tessera {
namespace {

constexpr std::string_view kHelp = "--to linear gives the bases of the layout";

// The only axis that a digit moves; nothing if there are several or none.
std::optional<std::size_t> only_axis(const PlacementDigit& digit) {
  const auto moves = [](Index step) { return step != 0; };
  if (std::ranges::count_if(digit.step, moves) != 1) return std::nullopt;
  return static_cast<std::size_t>(std::ranges::find_if(digit.step, moves) - digit.step.begin());
}

bool counts_threads_as_one(const TritonBases& bases) {
  constexpr std::size_t kLaneBits = 5;  // of a warp of Axe
  const std::size_t lanes = bases.of("lane").size();
  const std::size_t warps = bases.of("warp").size();
  if (lanes + warps == 0) return false;
  return lanes != kLaneBits || (warps == 0 && !bases.of("block").empty());
}

Failure refused(std::string reason, std::string message) {
  Diagnostic error{.code = Code::not_representable,
                   .message = fmt::format("{} ({})", message, reason),
                   .help = std::string(kHelp)};
  error.reason = std::move(reason);
  return fail(std::move(error));
}

}  // namespace

bool detail::has_axes(const TritonLayout& layout) {
  const TritonSpace space = space_of(layout.attribute.kind);
  if (space != TritonSpace::shared) return space != TritonSpace::none;
  const auto bases = triton_bases(layout);
  return bases && !(bases->of("block").empty() && bases->of("partition").empty());
}

Result<AxeLayout> detail::axe_of_triton(const TritonLayout& layout) {
  TESSERA_TRY(bases, triton_bases(layout));
  if (layout.shape->size() > bases.shape.size())
    return fail(Code::not_representable, "the first dimension counts buffers, which have no axis (stages)",
                {}, "give the shape of one buffer, without the stages");
  if (*layout.shape != bases.shape)
    return fail(Code::not_representable,
                "the layout is of a part of a buffer, and a placement is of the whole", {},
                "give the shape of the buffer");
  TESSERA_TRY(placed, triton_axe_placement(bases, counts_threads_as_one(bases)));
  const PlacementDigits& digits = *placed.digits();
  AxeLayout out;
  out.shape.assign(placed.shape().begin(), placed.shape().end());
  std::vector<Index> used(placed.axes().size(), 0);  // bits of each axis
  const auto add = [&](const std::vector<PlacementDigit>& from,
                       std::vector<AxeIterator>& to) -> Result<void> {
    for (const PlacementDigit& digit : from) {
      const auto axis = only_axis(digit);
      if (!axis) return refused("axes", "a bit of the index moves several axes, and an iterator moves one");
      const Index step = digit.step[*axis];
      if ((used[*axis] & step) != 0)
        return refused("irregular", fmt::format("values on {} are an XOR of steps, and Axe adds them",
                                                placed.axes()[*axis].name));
      used[*axis] |= step;
      to.push_back({digit.extent, step, placed.axes()[*axis].name});
    }
    return {};
  };
  TESSERA_NEED(add(digits.index, out.sharded));
  TESSERA_NEED(add(digits.replicas, out.replicas));
  for (const PlacementAxis& axis : placed.axes())
    out.offsets.push_back({0, axis.name});  // names the axes that do not move
  if (out.sharded.empty()) out.sharded.push_back({1, 1, placed.axes().front().name});
  TESSERA_TRY(made, make_axe(std::move(out)));
  return canonical_of_shape(made);
}

}  // namespace tessera
