// SPDX-License-Identifier: Apache-2.0
#include "notation/axe/axe_canonical.h"

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "notation/axe/axe_chain.h"
#include "notation/axe/axe_text.h"
#include "notation/axe/axes.h"
#include "notation/axe/make_axe.h"
#include "tessera/notation/axe.h"

namespace tessera {

AxeLayout detail::canonical_of_shape(const AxeLayout& layout) {
  AxeLayout out = layout;
  out.sharded = detail::joined(layout.sharded);
  if (out.sharded.empty()) {
    const std::string axis = !layout.sharded.empty()    ? layout.sharded.front().axis
                             : !layout.replicas.empty() ? layout.replicas.front().axis
                                                        : "m";
    out.sharded.push_back({1, 1, axis});
  }
  std::erase_if(out.replicas, [](const AxeIterator& r) { return r.extent == 1 || r.stride == 0; });
  std::ranges::sort(out.replicas, [](const AxeIterator& a, const AxeIterator& b) {
    if (a.axis != b.axis) return detail::axis_before(a.axis, b.axis);
    return std::pair(a.stride, a.extent) > std::pair(b.stride, b.extent);
  });
  out.replicas = detail::joined(out.replicas);
  std::erase_if(out.offsets, [](const AxeOffset& offset) { return offset.value == 0; });
  // An axis without iterators keeps its name.
  const std::vector<std::string> now = detail::axis_names(out);
  for (const std::string& axis : detail::axis_names(layout)) {
    if (!std::ranges::binary_search(now, axis, detail::axis_before)) out.offsets.push_back({0, axis});
  }
  std::ranges::sort(out.offsets, detail::axis_before, &AxeOffset::axis);
  return out;
}

AxeLayout canonical(const AxeLayout& layout) {
  AxeLayout out = detail::canonical_of_shape(layout);
  // Extents that nobody wrote as a shape follow S.
  if (layout.shape == detail::default_shape(layout)) out.shape = detail::default_shape(out);
  return out;
}

Result<AxeLayout> fused(const AxeLayout& layout) {
  const std::vector<std::string> axes = detail::axis_names(layout);
  AxeLayout out = layout;
  const auto fuse = [&](Index& value, std::string& axis) {
    const detail::FusedAxis to = detail::fused_axis(axis, axes);
    axis = to.name;
    return !mul_overflows(value, to.factor, value);
  };
  bool fits = true;
  for (auto* list : {&out.sharded, &out.replicas}) {
    for (AxeIterator& iterator : *list) fits = fuse(iterator.stride, iterator.axis) && fits;
  }
  for (AxeOffset& offset : out.offsets) fits = fuse(offset.value, offset.axis) && fits;
  if (!fits) return fail(Code::overflow, "thread numbers pass 64 bits");
  return detail::make_result(std::move(out));
}

Result<PlacementEquality> equal(const AxeLayout& a, const AxeLayout& b) {
  TESSERA_TRY(one, fused(a));
  TESSERA_TRY(other, fused(b));
  TESSERA_TRY(of_a, placement(one));
  TESSERA_TRY(of_b, placement(other));
  PlacementEquality out = equal(of_a, of_b);
  if (out.at.empty() && a.shape.size() != 0) return out;
  // The places as each layout names them.
  TESSERA_TRY(as_a, placement(a));
  TESSERA_TRY(as_b, placement(b));
  if (auto found = places(as_a, out.at)) out.a = *std::move(found);
  if (auto found = places(as_b, out.at)) out.b = *std::move(found);
  return out;
}

}  // namespace tessera
