// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <utility>
#include <vector>

#include "base/plural.h"
#include "tessera/algebra/detail/modes.h"
#include "tessera/map/map_algebra.h"
#include "tessera/map/simplify.h"
#include "tessera/notation/conversion.h"

namespace tessera {
namespace {

template <class T>
std::vector<T> permuted(std::span<const T> values, std::span<const Index> axes) {
  std::vector<T> out;
  for (const Index axis : axes) out.push_back(values[static_cast<std::size_t>(axis)]);
  return out;
}

// The new position of each dimension. Errors: those of transpose.
Result<std::vector<Index>> places_of(std::span<const Index> shape, std::span<const Index> axes) {
  const auto rank = static_cast<Index>(shape.size());
  if (std::ssize(axes) != rank) {
    return fail(Code::rank_mismatch,
                fmt::format("{} {} given, the shape ({}) has {}", axes.size(),
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

Result<Layout> transposed_type(const TensorType& type, std::span<const Index> axes,
                               std::span<const Index> places) {
  TensorType out{.dtype = type.dtype, .dims = permuted<Index>(type.dims, axes)};
  if (!type.dim_kinds.empty()) out.dim_kinds = permuted<DimKind>(type.dim_kinds, axes);
  TiledLayout layout = type.layout ? *type.layout : TiledLayout{.minor_to_major = type.minor_to_major()};
  layout.minor_to_major = permuted<Index>(places, layout.minor_to_major);
  out.layout = std::make_shared<const TiledLayout>(std::move(layout));
  return Layout::make(std::move(out));
}

Result<Layout> transposed_packed(const ShapedPackedLayout& packed, std::span<const Index> axes,
                                 std::span<const Index> places) {
  std::vector<PackedDim> dims(packed.layout.dims().begin(), packed.layout.dims().end());
  for (PackedDim& one : dims) one.dim = places[static_cast<std::size_t>(one.dim)];
  return Layout::make(
      ShapedPackedLayout{permuted<Index>(packed.shape, axes),
                         PackedLayout::make_unchecked(std::move(dims), packed.layout.contig())});
}

}  // namespace

Result<Layout> transpose(const Layout& layout, std::span<const Index> axes) {
  const Result<std::vector<Index>> places = places_of(layout.shape(), axes);
  if (!places) return fail(places.error());
  const std::vector<Index> shape = permuted<Index>(layout.shape(), axes);
  const std::vector<Index> crop = layout.is_cropped() ? shape : std::vector<Index>{};
  const auto select_modes = [&](const StridedLayout& l) {
    return select(l, axes.data(), static_cast<int>(axes.size()));
  };
  if (axes.size() < 2) return layout;
  if (const TensorType* type = layout.tensor_type()) return transposed_type(*type, axes, *places);
  if (const ShapedPackedLayout* packed = layout.packed()) return transposed_packed(*packed, axes, *places);
  if (const Strides* strides = layout.strides())
    return Layout::make(Strides{shape, permuted<Index>(strides->strides, axes), strides->offset});
  if (const LinearLayout* linear = layout.linear()) {
    Result<LinearLayout> made = LinearLayout::make(permuted<std::vector<Index>>(linear->bases(), axes));
    return made ? Layout::make(*std::move(made)) : fail(made.error());
  }
  if (const StridedLayout* strided = layout.strided()) {
    if (const Outcome<StridedLayout> modes = select_modes(*strided)) return Layout::make(*modes, crop);
  }
  if (const ComposedLayout* composed = layout.composed()) {
    const Outcome<StridedLayout> modes = select_modes(composed->domain());
    if (const Outcome<ComposedLayout> chain = detail::with_domain(*composed, modes))
      return Layout::make(*chain, crop);
  }
  // For a map: from new indices to old ones, then the map.
  std::vector<Expr> old;
  for (const Index place : *places) old.push_back(Expr::variable(place));
  const Result<IndexMap> back = IndexMap::make(IndexMap::identity(shape).domain(), std::move(old));
  if (!back) return fail(back.error());
  const Result<IndexMap> map = compose(*back, lower(layout));
  return map ? Layout::make(simplify(*map), shape) : fail(map.error());
}

}  // namespace tessera
