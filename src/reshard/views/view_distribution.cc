// SPDX-License-Identifier: Apache-2.0
// The distribution of a view of an array.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/at_fault.h"
#include "base/try.h"
#include "reshard/notations/mesh/mesh_text.h"
#include "reshard/notations/mesh/to_mesh.h"
#include "reshard/place_mesh.h"
#include "reshard/views/view_digits.h"
#include "reshard/views/view_grid.h"
#include "reshard/views/view_local.h"

namespace tessera {
namespace {

using detail::AxisFactor;
using detail::DimGroup;
using detail::ViewCut;
using detail::ViewGrid;

// The cuts of all groups of dimensions: over factors of the mesh axes, or over a grid that replaces the axes
// of its group.
struct ViewCuts {
  std::vector<ViewCut> cuts;
  std::vector<std::pair<ViewGrid, std::vector<std::size_t>>> grids;  // with the axes that they replace
};

// The axes that cut a group of dimensions, the major one first.
std::vector<std::size_t> axes_of(const BoundDistribution& bound, const DimGroup& group) {
  const auto cuts = detail::cuts_by_dim(bound);
  std::vector<std::size_t> axes;
  for (std::size_t d = group.from_begin; d < group.from_end; ++d) {
    for (const DimCut& cut : cuts[d]) axes.insert(axes.end(), cut.axes.begin(), cut.axes.end());
  }
  return axes;
}

// The cuts of a group in which the view only adds or drops dimensions of extent 1 that are not cut.
std::optional<std::vector<ViewCut>> same_cuts(const BoundDistribution& bound, const DimGroup& group,
                                              std::span<const Index> view) {
  const auto cuts = detail::cuts_by_dim(bound);
  std::vector<std::size_t> from;
  for (std::size_t d = group.from_begin; d < group.from_end; ++d) {
    if (bound.shape()[d] > 1 || !cuts[d].empty()) from.push_back(d);
  }
  std::vector<std::size_t> to;
  for (std::size_t e = group.to_begin; e < group.to_end; ++e) {
    if (view[e] > 1 || group.to_end == group.to_begin + 1) to.push_back(e);
  }
  if (from.size() != 1 || to.size() != 1 || bound.shape()[from[0]] != view[to[0]]) return {};
  std::vector<ViewCut> out;
  for (const DimCut& cut : cuts[from[0]]) {
    ViewCut same{cut, {}};
    for (const std::size_t axis : cut.axes)
      same.over.push_back({axis, 1, bound.distribution().mesh.axes[axis].size});
    same.cut.dim = static_cast<Index>(to[0]);
    out.push_back(std::move(same));
  }
  return out;
}

Result<ViewCuts> cuts_of_view(const BoundDistribution& bound, std::span<const Index> view) {
  ViewCuts out;
  if (std::ranges::find(view, 0) != view.end()) return out;  // no elements, so nothing must be cut
  for (const DimGroup& group : detail::groups_of(bound.shape(), view)) {
    auto digits = detail::digit_cuts(bound, group, view);
    if (!digits) digits = same_cuts(bound, group, view);
    if (digits) {
      out.cuts.insert(out.cuts.end(), digits->begin(), digits->end());
      continue;
    }
    TESSERA_TRY(grid, detail::grid_cuts(bound, group, view));
    out.grids.emplace_back(std::move(grid), axes_of(bound, group));
  }
  return out;
}

// The mesh of the view: factors of the axes of the array, then the axes of grids.
class ViewMesh {
 public:
  ViewMesh(const PlaceMesh& mesh, const ViewCuts& cuts) : old_(mesh), cuts_(cuts) {
    std::vector<bool> replaced(mesh.axes.size(), false);
    for (const auto& [grid, axes] : cuts.grids) {
      for (const std::size_t axis : axes) replaced[axis] = true;
    }
    for (std::size_t a = 0; a < mesh.axes.size(); ++a) {
      if (!replaced[a]) add_factors(a);
    }
    first_grid_ = mesh_.axes.size();
    for (const auto& [grid, axes] : cuts.grids) {
      for (std::size_t e = 0; e < grid.counts.size(); ++e) {
        if (grid.counts[e] > 1) mesh_.axes.push_back({fmt::format("v{}", grid.cuts[e].dim), grid.counts[e]});
      }
    }
    detail::name_axes(mesh_.axes);
    add_places();
  }

  const PlaceMesh& mesh() const { return mesh_; }

  std::vector<DimCut> cuts() const {
    std::vector<DimCut> out;
    for (const ViewCut& cut : cuts_.cuts) {
      out.push_back(cut.cut);
      out.back().axes.clear();
      for (const AxisFactor& wanted : cut.over) {
        for (std::size_t k = 0; k < factors_.size(); ++k) {
          const AxisFactor& factor = factors_[k];
          if (factor.axis == wanted.axis && factor.pre >= wanted.pre &&
              factor.pre < wanted.pre * wanted.size && factor.size > 1)
            out.back().axes.push_back(k);
        }
      }
      if (out.back().axes.empty()) out.back().axes = axes_of_size_one(cut);
    }
    std::size_t axis = first_grid_;
    for (const auto& [grid, axes] : cuts_.grids) {
      for (std::size_t e = 0; e < grid.counts.size(); ++e) {
        if (grid.counts[e] == 1) continue;
        out.push_back(grid.cuts[e]);
        out.back().axes = {axis++};
      }
    }
    std::erase_if(out, [](const DimCut& cut) { return cut.axes.empty(); });
    std::ranges::stable_sort(out, {}, &DimCut::dim);
    return out;
  }

 private:
  // A cut into one part, which is written with its axes of size 1.
  std::vector<std::size_t> axes_of_size_one(const ViewCut& cut) const {
    std::vector<std::size_t> out;
    for (const AxisFactor& wanted : cut.over) {
      for (std::size_t k = 0; k < factors_.size(); ++k) {
        if (factors_[k].axis == wanted.axis) out.push_back(k);
      }
    }
    return out;
  }

  void add_factors(std::size_t a) {
    std::set<Index> ends = {1, old_.axes[a].size};
    for (const ViewCut& cut : cuts_.cuts) {
      for (const AxisFactor& factor : cut.over) {
        if (factor.axis == a) ends.insert({factor.pre, factor.pre * factor.size});
      }
    }
    if (ends.size() <= 2) {
      factors_.push_back({a, 1, old_.axes[a].size});
      mesh_.axes.push_back(old_.axes[a]);
      return;
    }
    for (auto at = ends.begin(); std::next(at) != ends.end(); ++at) {
      const Index size = *std::next(at) / *at;
      factors_.push_back({a, *at, size});
      mesh_.axes.push_back({fmt::format("{}:({}){}", old_.axes[a].name, *at, size), size});
    }
  }

  // The place of each coordinate of the new mesh is that of the old coordinate.
  void add_places() {
    std::vector<std::size_t> strides(old_.axes.size(), 1);
    for (std::size_t a = old_.axes.size(); a-- > 1;)
      strides[a - 1] = strides[a] * static_cast<std::size_t>(old_.axes[a].size);
    for (std::size_t flat = 0; flat < old_.places.size(); ++flat) {
      std::vector<Index> at(mesh_.axes.size());
      std::size_t rest = flat;
      for (std::size_t k = at.size(); k-- > 0;) {
        at[k] = static_cast<Index>(rest % static_cast<std::size_t>(mesh_.axes[k].size));
        rest /= static_cast<std::size_t>(mesh_.axes[k].size);
      }
      std::vector<Index> old(old_.axes.size(), 0);
      for (std::size_t k = 0; k < first_grid_; ++k)
        old[factors_[k].axis] = old[factors_[k].axis] * factors_[k].size + at[k];
      std::size_t k = first_grid_;
      for (const auto& [grid, axes] : cuts_.grids) {
        std::size_t cell = 0;
        for (const Index count : grid.counts)
          cell = cell * static_cast<std::size_t>(count) + static_cast<std::size_t>(count > 1 ? at[k++] : 0);
        std::size_t part = grid.part_of[cell];
        for (std::size_t a = axes.size(); a-- > 0;) {
          old[axes[a]] = static_cast<Index>(part % static_cast<std::size_t>(old_.axes[axes[a]].size));
          part /= static_cast<std::size_t>(old_.axes[axes[a]].size);
        }
      }
      std::size_t number = 0;
      for (std::size_t a = 0; a < old.size(); ++a) number += static_cast<std::size_t>(old[a]) * strides[a];
      mesh_.places.push_back(old_.places[number]);
    }
  }

  const PlaceMesh& old_;
  const ViewCuts& cuts_;
  PlaceMesh mesh_;
  std::vector<AxisFactor> factors_;  // of the first axes
  std::size_t first_grid_ = 0;
};

}  // namespace

Result<Distribution> view_distribution(const BoundDistribution& distribution, std::vector<Index> view) {
  Index elements = 1;
  for (const Index extent : distribution.shape()) elements *= extent;
  Index in_view = 1;
  for (const Index extent : view) {
    if (extent < 0)
      return detail::at_fault("view",
                              fail(Code::negative_dim, fmt::format("the extent {} is negative", extent)));
    if (mul_overflows(in_view, extent, in_view)) in_view = -1;
  }
  if (elements != in_view) {
    return detail::at_fault(
        "view", fail(Code::different_shape,
                     fmt::format("the array [{}] has {} elements, but its view [{}] has {}",
                                 fmt::join(distribution.shape(), ","), elements, fmt::join(view, ","),
                                 in_view < 0 ? "more" : std::to_string(in_view)),
                     {}, fmt::format("the dimensions of the view must have the product {}", elements)));
  }
  // The mesh notation has the axes of all notations, also of `{replicated}`.
  Distribution from = detail::to_mesh(distribution);
  const LocalLayout local = std::exchange(from.local, {});
  auto bound = bind_distribution(from, {distribution.shape().begin(), distribution.shape().end()},
                                 distribution.places());
  if (!bound) return fail(bound.error());
  TESSERA_TRY(cuts, cuts_of_view(*bound, view));
  const ViewMesh made(from.mesh, cuts);
  Distribution out = from;
  out.rank = view.size();
  out.mesh = made.mesh();
  out.cuts = made.cuts();
  out.body = detail::mesh_text(out.mesh, out.cuts, view.size());
  const bool compact = local.storage == LocalLayout::Storage::row && !local.pitch && !local.padded;
  if (!compact) TESSERA_NEED(detail::add_local_layout(distribution, view, out));
  return out;
}

}  // namespace tessera
