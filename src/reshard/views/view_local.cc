// SPDX-License-Identifier: Apache-2.0
#include "reshard/views/view_local.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/index_walk.h"
#include "base/try.h"
#include "tessera/map/map_algebra.h"
#include "tessera/notation/conversion.h"
#include "tessera/notation/layout.h"

namespace tessera::detail {
namespace {

Failure undecided(const LocalLayout& local, std::string why) {
  return fail(Diagnostic{
      .code = Code::undecided,
      .message = fmt::format("the local arrays are not row-major and compact, and {} (local)", why),
      .span = local.span.value_or(Span{}),
      .reason = "local",
      .help = "leave out 'local ...' to ask which places hold each element of the view"});
}

std::vector<Variable> box_of(std::span<const Index> shape) {
  std::vector<Variable> out;
  for (const Index extent : shape) out.push_back({Interval::of_extent(extent)});
  return out;
}

// From an index of an array to that of the array of shape `to` with the same row-major number.
IndexMap reshape_map(std::span<const Index> from, std::span<const Index> to) {
  const std::vector<Index> strides = row_major_strides(from);
  Expr number = Expr::constant(0);
  for (std::size_t d = 0; d < from.size(); ++d)
    number = number + Expr::variable(static_cast<Index>(d)) * strides[d];
  std::vector<Expr> results;
  const std::vector<Index> steps = row_major_strides(to);
  for (std::size_t d = 0; d < to.size(); ++d)
    results.push_back(mod(floor_div(number, Expr::constant(steps[d])), Expr::constant(to[d])));
  return IndexMap::make_unchecked(Domain(box_of(from), {}, {}), std::move(results));
}

// The offsets of a local array. Empty for tiles that no layout has.
std::optional<IndexMap> offsets_of(const LocalLayout& local, const LocalBuffer& buffer,
                                   std::span<const Index> shape) {
  if (local.storage == LocalLayout::Storage::layout && local.layout) return lower(*local.layout);
  if (local.storage == LocalLayout::Storage::tiled) {
    auto type = TensorType::make(DType::u8, {shape.begin(), shape.end()}, local.tiled);
    const auto layout = type ? Layout::make(*type) : Result<Layout>(fail(type.error()));
    return layout ? std::optional(lower(*layout)) : std::nullopt;
  }
  if (!buffer.strides()) return std::nullopt;
  Expr offset = Expr::constant(0);
  for (std::size_t d = 0; d < shape.size(); ++d)
    offset = offset + Expr::variable(static_cast<Index>(d)) * (*buffer.strides())[d];
  return IndexMap::make_unchecked(Domain(box_of(shape), {}, {}), {offset});
}

}  // namespace

Result<void> add_local_layout(const BoundDistribution& from, std::span<const Index> shape,
                              Distribution& view) {
  const LocalLayout& local = from.distribution().local;
  view.local = {};
  TESSERA_TRY(seen, bind_distribution(view, {shape.begin(), shape.end()}, from.places()));
  std::optional<Index> first;
  for (Index place = 0; place < from.places(); ++place) {
    if (!from.shard_of(place)) continue;
    const auto local_shape = from.local_shape(place);
    if (std::ranges::find(*local_shape, 0) != local_shape->end()) continue;
    if (!first) first = place;
    if (from.local_shape(place) != from.local_shape(*first) ||
        seen.local_shape(place) != seen.local_shape(*first))
      return undecided(
          local, fmt::format("the local arrays of places {} and {} have different shapes", *first, place));
  }
  if (!first) return {};
  const std::vector<Index> own = *from.local_shape(*first);
  const std::vector<Index> there = *seen.local_shape(*first);
  const LocalBuffer buffer = from.local_buffer(*first);
  const auto offsets = offsets_of(local, buffer, own);
  if (!offsets) return undecided(local, "their tiles have no layout of their own");
  TESSERA_TRY(map, compose(reshape_map(there, own), *offsets));
  TESSERA_TRY(layout, Layout::make(simplify(map)));
  const auto cute = convert(layout, Notation::cute);
  // The text of a chain is not read as a local layout.
  if (!cute || cute->layout.shape_stride() == nullptr)
    return undecided(local, "no CuTe layout without a swizzle was found that has the offsets of the view");
  view.local = {.storage = LocalLayout::Storage::layout, .layout = cute->layout};
  return {};
}

}  // namespace tessera::detail
