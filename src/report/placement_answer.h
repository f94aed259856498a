// SPDX-License-Identifier: Apache-2.0
/// \file
/// Answers about placements, as text and as JSON.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tessera/notation/axe.h"
#include "tessera/placement/placement.h"

namespace tessera {

/// The places of an index. After an error, the input text and the error.
struct PlacesAnswer {
  std::vector<Index> index = {};
  std::vector<Place> places = {};
  std::string text = {};
  std::optional<Diagnostic> error = {};
};

/// A side of a comparison: a placement as it is written and, if thread axes fuse to one, with that axis.
struct PlacedSide {
  std::string text;
  Placement placement;
  std::optional<Placement> fused = {};

  /// What is compared.
  const Placement& compared() const { return fused ? *fused : placement; }
};
/// Errors: those of placement and fused.
Result<PlacedSide> placed_side(const AxeLayout& layout);
/// A layout of Triton in registers, tensor memory, or the shared memory of several blocks is on the axes of
/// Axe, and compared as threads if `other` is; anything else is on the axis `m`. Errors: those of placement
/// and triton_axe_placement.
Result<PlacedSide> placed_side(const Layout& layout, const PlacedSide* other = nullptr);

/// `axe: row-major index; places on warpid, laneid, m`.
std::string reading_text(const Placement& placement);
/// `warpid 6, laneid 0, m 0; warpid 10, laneid 0, m 0`.
std::string to_text(const PlacesAnswer& answer, const Placement& placement);
/// `yes`, `no at (0, 0): {warpid 2, laneid 3} = {tx 67} and {tx 64}`, `no: the axes are ...`, `undecided:
/// ...`.
std::string to_text(const PlacedSide& a, const PlacedSide& b, const PlacementEquality& equality);

/// `{"schema": "tessera.placement/1", ...}`: shape, axes, maps, replicas, and the places of each index.
std::string to_json(const PlacedSide& side, int status, std::span<const PlacesAnswer> answers);
/// `{"schema": "tessera.equal/1", ...}`.
std::string to_json(const PlacedSide& a, const PlacedSide& b, std::string_view notion, int status,
                    const PlacementEquality& equality);

}  // namespace tessera
