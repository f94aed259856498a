// SPDX-License-Identifier: Apache-2.0
#include "reshard/parts/element_holders.h"

#include <algorithm>

#include "base/index_walk.h"

namespace tessera {
namespace {

// The part that has an index, the index there, how many indices the part has, and how many of them from this
// one on are consecutive before the cut, too.
struct CutPoint {
  Index part = 0;
  Index local = 0;
  Index extent = 0;
  Index run = 0;
};

// The number of indices in run s if n indices are cut into runs of c.
Index run_extent(Index n, Index c, Index s) { return std::clamp<Index>(n - s * c, 0, c); }

CutPoint cut_at(const DimCut& cut, Index parts, Index n, Index x) {
  switch (cut.rule) {
    case CutRule::ceil: {
      const Index c = ceil_div(n, parts);
      return {x / c, x % c, run_extent(n, c, x / c), c - x % c};
    }
    case CutRule::cyclic: {
      const Index b = cut.size;
      const Index part = (x / b + cut.start) % parts;
      const Index rounds = n / (b * parts);
      const Index turn = mod(part - cut.start, parts);
      return {part, x / (b * parts) * b + x % b, rounds * b + run_extent(n - rounds * b * parts, b, turn),
              b - x % b};
    }
    case CutRule::sizes: {
      CutPoint out{0, x, 0, 0};
      while (out.local >= cut.sizes[static_cast<std::size_t>(out.part)])
        out.local -= cut.sizes[static_cast<std::size_t>(out.part++)];
      out.extent = cut.sizes[static_cast<std::size_t>(out.part)];
      out.run = out.extent - out.local;
      return out;
    }
    case CutRule::strided:
    case CutRule::strided_padded:
      break;
  }
  const Index piece = ceil_div(n, cut.size);
  const Index full = n / piece;
  const Index rest = n - full * piece;
  const Index c = ceil_div(piece, parts);
  const Index c_rest = cut.rule == CutRule::strided_padded ? c : ceil_div(rest, parts);
  const Index j = x / piece;
  const Index y = x % piece;
  const Index c_here = j < full ? c : c_rest;
  const Index part = y / c_here;
  return {part, j * run_extent(piece, c, part) + y % c_here,
          full * run_extent(piece, c, part) + (rest > 0 ? run_extent(rest, c_rest, part) : 0),
          std::min(c_here - y % c_here, piece - y)};
}

}  // namespace

ElementHolders::ElementHolders(const BoundDistribution& bound)
    : shape_(bound.shape().begin(), bound.shape().end()),
      mesh_(bound.distribution().mesh),
      cuts_(shape_.size()) {
  const Distribution& distribution = bound.distribution();
  if (distribution.everywhere) {
    const Index count = distribution.on.empty() ? bound.places() : static_cast<Index>(distribution.on.size());
    mesh_ = {{{"r0", count}}, {}};
    for (Index place = 0; place < count; ++place) mesh_.places.push_back(place);
  }
  std::vector<bool> cuts_something(mesh_.axes.size(), false);
  for (const DimCut& cut : distribution.cuts) {
    const Index dim = cut.dim < 0 ? cut.dim + static_cast<Index>(shape_.size()) : cut.dim;
    cuts_[static_cast<std::size_t>(dim)].push_back(cut);
    for (const std::size_t axis : cut.axes) cuts_something[axis] = true;
  }
  for (std::vector<DimCut>& cuts : cuts_) {
    std::ranges::stable_sort(cuts, {}, [](const DimCut& cut) { return cut.order.value_or(0); });
  }
  for (std::size_t a = 0; a < mesh_.axes.size(); ++a) {
    if (!cuts_something[a]) free_axes_.push_back(a);
  }
  for (Index& place : mesh_.places) {
    if (!distribution.on.empty()) place = distribution.on[static_cast<std::size_t>(place)];
  }
}

CutIndex ElementHolders::cut(std::size_t dim, Index x) const {
  CutIndex out{.parts = {}, .local = x};
  Index extent = shape_[dim];
  for (const DimCut& cut : cuts_[dim]) {
    Index parts = 1;
    for (const std::size_t axis : cut.axes) parts *= mesh_.axes[axis].size;
    const CutPoint point = cut_at(cut, parts, extent, out.local);
    out.parts.push_back(point.part);
    out.local = point.local;
    out.run = std::min(out.run, point.run);
    extent = point.extent;
  }
  return out;
}

std::vector<ElementHolder> ElementHolders::at(std::span<const Index> index) const {
  std::vector<Index> coordinate(mesh_.axes.size(), 0);
  std::vector<Index> local;
  for (std::size_t d = 0; d < index.size(); ++d) {
    const CutIndex here = cut(d, index[d]);
    local.push_back(here.local);
    for (std::size_t k = 0; k < cuts_[d].size(); ++k) {
      const std::vector<std::size_t>& axes = cuts_[d][k].axes;
      Index part = here.parts[k];
      for (std::size_t a = axes.size(); a-- > 0;) {
        const Index size = mesh_.axes[axes[a]].size;
        coordinate[axes[a]] = part % size;
        part /= size;
      }
    }
  }
  std::vector<ElementHolder> out;
  do {
    std::size_t flat = 0;
    for (std::size_t a = 0; a < coordinate.size(); ++a)
      flat = flat * static_cast<std::size_t>(mesh_.axes[a].size) + static_cast<std::size_t>(coordinate[a]);
    out.push_back({mesh_.places[flat], local});
  } while (detail::advance_last(free_axes_.size(), [&](std::size_t k) {
    return detail::next_value(coordinate[free_axes_[k]], 0, mesh_.axes[free_axes_[k]].size);
  }));
  std::ranges::sort(out, {}, &ElementHolder::place);
  return out;
}

}  // namespace tessera
