// SPDX-License-Identifier: Apache-2.0
// Notes about coordinates that an operand does not have. They are not errors, because the last mode of a
// layout is unbounded.
#pragma once

#include <fmt/format.h>

#include <utility>

#include "eval/function.h"
#include "tessera/notation/cute.h"

namespace tessera::eval {

/// Adds a note if a coordinate, with 0 in its holes, is outside a shape.
void note_outside(Call& call, const Coord& c, const IntTuple& shape);

/// `l` with one leaf for each terminal of a tiler nested like `nesting`, and for each mode beyond the tiler:
/// the offset is the 1-D coordinate of leaf `component`. An error if the tiler has more modes.
tessera::detail::Outcome<StridedLayout> component_of(const StridedLayout& l, const Profile& nesting,
                                                     int component);

/// Adds a note if a part of `l` contains coordinates that `l` does not have. `part(layout)` takes the same
/// part, an Outcome<Slice>, of a layout with the modes that a tiler nested like `nesting` tiles.
template <class Part>
void note_overhang(Call& call, const StridedLayout& l, const Profile& nesting, Part&& part) {
  tessera::detail::Outcome<StridedLayout> first = component_of(l, nesting, 0);
  if (!first) return;
  for (int k = 0; k < first->leaves(); ++k) {
    const auto grid = component_of(l, nesting, k);
    const tessera::detail::Outcome<Slice> places = part(*grid);
    if (!places || !places->offset.is_integer() || places->layout.has_basis()) return;
    const Index start = places->offset.leaf[0];
    const Index low = start + image_min(places->layout);
    const Index high = start + image_max(places->layout);
    if (low >= 0 && high < grid->extent[k]) continue;
    call.note(fmt::format("{} reaches coordinate {}{}: {} has {}{}", call.name, low < 0 ? low : high,
                          first->leaves() > 1 ? fmt::format(" of mode {}", k) : "", to_string(l),
                          grid->extent[k], first->leaves() > 1 ? " there" : ""));
    return;
  }
}

}  // namespace tessera::eval
