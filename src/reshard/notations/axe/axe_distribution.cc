// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/index_walk.h"
#include "base/try.h"
#include "notation/axe/axe_chain.h"
#include "notation/axe/axes.h"
#include "notation/from_digits.h"
#include "notation/not_representable.h"
#include "reshard/notations/mesh/mesh_text.h"
#include "tessera/reshard/placement_views.h"

namespace tessera {
namespace {

using detail::not_representable;

bool is_place_axis(std::string_view axis) { return detail::axe_role(axis) == AxisRole::place; }

// An axis of the mesh: an iterator on a place axis.
struct MeshIterator {
  AxeIterator iterator;
  std::optional<std::size_t> dim = {};  // of the array; empty for a replica
  std::size_t position = 0;             // in its dimension, the slowest first
  std::string name = {};
};

struct AxeParts {
  std::vector<std::vector<AxeIterator>> dims;
  std::vector<MeshIterator> mesh;
  std::vector<AxeIterator> replicas;
};

Result<AxeParts> axe_parts(const AxeLayout& layout) {
  if (layout.swizzle && !layout.swizzle->is_identity())
    return not_representable("entangled", "a swizzle mixes the dimensions of the local arrays");
  std::vector<std::string> memories;
  for (const std::string& axis : detail::axis_names(layout)) {
    if (!is_place_axis(axis)) memories.push_back(axis);
  }
  if (memories.size() > 1) {
    return not_representable(
        "axes", fmt::format("a place has one memory, but the layout uses {}", fmt::join(memories, " and ")));
  }
  auto dims = detail::split_at_dims(layout.sharded, layout.shape);
  if (!dims) {
    return not_representable("entangled",
                             "an iterator crosses the border of a dimension that does not divide it");
  }
  AxeParts out{*std::move(dims), {}, {}};
  for (const AxeIterator& replica : layout.replicas) {
    if (replica.extent == 1 || replica.stride == 0) continue;
    if (!is_place_axis(replica.axis))
      return not_representable(
          "replicated",
          fmt::format("every place holds {} copies of an element, {} apart", replica.extent, replica.stride));
    out.replicas.push_back(replica);
  }
  for (const auto* list : {&layout.sharded, &layout.replicas}) {
    for (const AxeIterator& iterator : *list) {
      if (iterator.extent > 1 && iterator.stride < 0)
        return not_representable("negative_stride", fmt::format("the stride {} on {} is negative",
                                                                iterator.stride, iterator.axis));
    }
  }
  return out;
}

// The axes of the mesh, by axis, then by stride, the largest first.
std::vector<MeshIterator> axe_mesh(const AxeParts& parts) {
  std::vector<MeshIterator> out;
  for (std::size_t d = 0; d < parts.dims.size(); ++d) {
    for (std::size_t k = 0; k < parts.dims[d].size(); ++k) {
      if (is_place_axis(parts.dims[d][k].axis)) out.push_back({parts.dims[d][k], d, k});
    }
  }
  for (const AxeIterator& replica : parts.replicas) out.push_back({replica});
  std::ranges::stable_sort(out, [](const MeshIterator& a, const MeshIterator& b) {
    if (a.iterator.axis != b.iterator.axis) return detail::axis_before(a.iterator.axis, b.iterator.axis);
    return a.iterator.stride > b.iterator.stride;
  });
  std::set<std::string> taken;
  for (std::size_t a = 0; a < out.size(); ++a) {
    const auto same = [&](const MeshIterator& other) { return other.iterator.axis == out[a].iterator.axis; };
    out[a].name = out[a].iterator.axis;
    if (std::ranges::count_if(out, same) > 1) {
      const auto before = std::count_if(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(a), same);
      out[a].name += std::to_string(before);
    }
    // `p` numbered 0 and an axis called `p0` may meet.
    while (!taken.insert(out[a].name).second) out[a].name += "_";
  }
  return out;
}

// The number of the place at each coordinate of the mesh.
Result<std::vector<Index>> axe_place_numbers(const AxeLayout& layout, std::span<const MeshIterator> mesh) {
  std::vector<std::string> axes;
  for (const std::string& axis : detail::axis_names(layout)) {
    if (is_place_axis(axis)) axes.push_back(axis);
  }
  const auto number_of = [&](std::string_view axis) {
    return static_cast<std::size_t>(std::ranges::find(axes, axis) - axes.begin());
  };
  std::vector<Index> lengths(axes.size(), 1);
  std::vector<Index> first(axes.size(), 0);
  for (const AxeOffset& offset : layout.offsets) {
    if (is_place_axis(offset.axis)) first[number_of(offset.axis)] = offset.value;
  }
  Index coordinates = 1;
  for (std::size_t a = 0; a < axes.size(); ++a) lengths[a] += first[a];
  for (const MeshIterator& axis : mesh) {
    lengths[number_of(axis.iterator.axis)] += (axis.iterator.extent - 1) * axis.iterator.stride;
    if (mul_overflows(coordinates, axis.iterator.extent, coordinates) || coordinates > kMaxPlaces)
      return fail(Code::limit, fmt::format("a mesh has at most {} places", kMaxPlaces));
  }
  const auto total = detail::element_count(lengths);
  if (!total || *total > kMaxPlaceNumbers)
    return fail(Code::limit, fmt::format("places have numbers less than {}", kMaxPlaceNumbers));
  std::vector<Index> out;
  std::vector<Index> at(mesh.size(), 0);
  do {
    std::vector<Index> value = first;
    for (std::size_t a = 0; a < mesh.size(); ++a)
      value[number_of(mesh[a].iterator.axis)] += at[a] * mesh[a].iterator.stride;
    out.push_back(detail::number_of_index(value, lengths));
  } while (detail::advance_last(
      mesh.size(), [&](std::size_t a) { return detail::next_value(at[a], 0, mesh[a].iterator.extent); }));
  std::vector<Index> sorted = out;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end()) {
    return not_representable(
        "places", fmt::format("two coordinates of the mesh are the same place, number {}", *twice));
  }
  return out;
}

Result<LocalLayout> axe_local(const AxeLayout& layout, const AxeParts& parts) {
  std::vector<Index> shape;
  std::vector<Digit> digits;
  for (std::size_t d = 0; d < parts.dims.size(); ++d) {
    Index div = 1;
    for (std::size_t k = parts.dims[d].size(); k-- > 0;) {
      const AxeIterator& iterator = parts.dims[d][k];
      if (is_place_axis(iterator.axis)) continue;
      digits.push_back({static_cast<Index>(d), div, iterator.extent, iterator.stride});
      div *= iterator.extent;
    }
    shape.push_back(div);
  }
  Index base = 0;
  for (const AxeOffset& offset : layout.offsets) base += is_place_axis(offset.axis) ? 0 : offset.value;
  const Digits form = Digits::normalized(shape, base, std::move(digits));
  const std::vector<Index> strides = detail::row_major_strides(shape);
  std::vector<Digit> compact;
  for (std::size_t d = 0; d < shape.size(); ++d)
    compact.push_back({static_cast<Index>(d), 1, shape[d], strides[d]});
  LocalLayout out;
  if (form == Digits::normalized(shape, 0, std::move(compact))) return out;
  out.storage = LocalLayout::Storage::layout;
  out.span = Span{};
  if (base == 0) {
    TESSERA_TRY(modes, to_strided_layout(form));
    TESSERA_TRY(local, Layout::make(modes));
    out.layout = std::move(local);
    return out;
  }
  auto one_each = to_strides(form);
  if (!one_each) {
    return not_representable("offset",
                             fmt::format("local arrays begin at offset {}, and a dimension needs several "
                                         "strides",
                                         base));
  }
  TESSERA_TRY(local, Layout::make(*std::move(one_each)));
  out.layout = std::move(local);
  return out;
}

// The cut that an iterator makes: plain, unless memory counts above it.
DimCut axe_cut(const AxeParts& parts, const MeshIterator& axis, std::size_t number) {
  DimCut out;
  out.dim = static_cast<Index>(*axis.dim);
  out.axes = {number};
  const std::vector<AxeIterator>& dim = parts.dims[*axis.dim];
  for (std::size_t k = 0; k < axis.position; ++k) {
    if (!is_place_axis(dim[k].axis)) out.rule = CutRule::cyclic;
  }
  if (out.rule != CutRule::cyclic) return out;
  for (std::size_t k = axis.position + 1; k < dim.size(); ++k) out.size *= dim[k].extent;
  return out;
}

}  // namespace

Result<Distribution> distribution_of(const AxeLayout& given) {
  TESSERA_TRY(layout, fused(given));
  TESSERA_TRY(parts, axe_parts(layout));
  const std::vector<MeshIterator> mesh = axe_mesh(parts);
  TESSERA_TRY(numbers, axe_place_numbers(layout, mesh));
  Distribution out;
  TESSERA_TRY(local, axe_local(layout, parts));
  out.local = std::move(local);
  std::vector<MeshAxis> axes;
  for (const MeshIterator& axis : mesh) axes.push_back({axis.name, axis.iterator.extent});
  out.mesh.axes = std::move(axes);
  out.mesh.places = std::move(numbers);
  // The cuts of a dimension, the slowest first.
  for (std::size_t d = 0; d < parts.dims.size(); ++d) {
    for (std::size_t k = 0; k < parts.dims[d].size(); ++k) {
      for (std::size_t a = 0; a < mesh.size(); ++a) {
        if (mesh[a].dim == d && mesh[a].position == k) out.cuts.push_back(axe_cut(parts, mesh[a], a));
      }
    }
  }
  // A mesh of one device has no axis, so its number is written after `on`.
  if (out.mesh.axes.empty() && out.mesh.places[0] != 0) {
    out.on = {out.mesh.places[0]};
    out.mesh.places = {0};
  }
  out.rank = layout.shape.size();
  out.body = detail::mesh_text(out.mesh, out.cuts, layout.shape.size());
  return out;
}

}  // namespace tessera
