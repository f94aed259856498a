// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <utility>
#include <vector>

#include "base/plural.h"
#include "base/state_of.h"
#include "notation/layout_form.h"
#include "tessera/algebra/detail/modes.h"
#include "tessera/map/map_algebra.h"
#include "tessera/notation/conversion.h"

namespace tessera {
namespace {

// The new position of each dimension. Errors: those of transpose.
Result<std::vector<Index>> places_of(std::span<const Index> shape, std::span<const Index> axes) {
  const auto rank = static_cast<Index>(shape.size());
  if (std::ssize(axes) != rank) {
    return fail(Code::rank_mismatch,
                fmt::format("{} {} given, but the shape ({}) has {}", axes.size(),
                            axes.size() == 1 ? "axis is" : "axes are", fmt::join(shape, ","),
                            detail::plural(shape.size(), "dimension")));
  }
  std::vector<Index> places(shape.size(), -1);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Index axis = axes[i];
    if (axis < 0 || axis >= rank) {
      return fail(Code::dim_out_of_range, fmt::format("axis {} is outside 0 to {} of the shape ({})", axis,
                                                      rank - 1, fmt::join(shape, ",")));
    }
    Index& place = places[static_cast<std::size_t>(axis)];
    if (place >= 0) return fail(Code::bad_permutation, fmt::format("axis {} is named twice", axis));
    place = static_cast<Index>(i);
  }
  return places;
}

}  // namespace

Result<Layout> transpose(const Layout& layout, std::span<const Index> axes) {
  const Result<std::vector<Index>> places = places_of(layout.shape(), axes);
  if (!places) return fail(places.error());
  const std::vector<Index> shape = detail::permuted<Index>(layout.shape(), axes);
  if (axes.size() < 2) return layout;
  if (auto same_notation = detail::state_of(layout).form->transposed(layout, axes, *places))
    return *std::move(same_notation);
  // Composes the map from new to old indices with the layout's map.
  std::vector<Expr> old;
  for (const Index place : *places) old.push_back(Expr::variable(place));
  const Result<IndexMap> back = IndexMap::make(IndexMap::identity(shape).domain(), std::move(old));
  if (!back) return fail(back.error());
  const Result<IndexMap> map = compose(*back, lower(layout));
  return map ? Layout::make(simplify(*map), shape) : fail(map.error());
}

}  // namespace tessera
