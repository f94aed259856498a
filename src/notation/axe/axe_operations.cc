// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/plural.h"
#include "base/try.h"
#include "notation/axe/axe_chain.h"
#include "notation/axe/axes.h"
#include "notation/axe/make_axe.h"
#include "notation/not_representable.h"
#include "tessera/notation/axe.h"

namespace tessera {
namespace {

using Dims = std::vector<std::vector<AxeIterator>>;

// Both layouts split into dimensions.
struct Operands {
  Dims left;
  Dims right;
};

Result<Operands> operands(const AxeLayout& left, const AxeLayout& right, std::string_view left_name,
                          std::string_view right_name) {
  if (left.shape.size() != right.shape.size()) {
    return fail(Code::rank_mismatch,
                fmt::format("the {} layout has {}, but the {} one has {}", left_name,
                            detail::plural(left.shape.size(), "dimension"), right_name, right.shape.size()));
  }
  if (left.swizzle) {
    Diagnostic error{.code = Code::not_applicable,
                     .message = fmt::format("the {} layout has a swizzle, and only the {} one may (swizzle)",
                                            left_name, right_name)};
    error.reason = "swizzle";
    return fail(std::move(error));
  }
  auto of_left = detail::split_at_dims(left.sharded, left.shape);
  if (!of_left) return detail::crossing(left_name);
  auto of_right = detail::split_at_dims(right.sharded, right.shape);
  if (!of_right) return detail::crossing(right_name);
  return Operands{*std::move(of_left), *std::move(of_right)};
}

// Replicas joined and offsets added; `inner` gives the swizzle.
AxeLayout merged(const AxeLayout& outer, const AxeLayout& inner) {
  AxeLayout out;
  for (const AxeLayout* const from : {&outer, &inner}) {
    out.replicas.insert(out.replicas.end(), from->replicas.begin(), from->replicas.end());
    out.offsets.insert(out.offsets.end(), from->offsets.begin(), from->offsets.end());
    // Iterators of extent 1 are dropped below, but their axes stay.
    for (const AxeIterator& iterator : from->sharded) {
      if (iterator.extent == 1 && detail::axe_role(iterator.axis) == AxisRole::place)
        out.offsets.push_back({0, iterator.axis});
    }
  }
  out.swizzle = inner.swizzle;
  return out;
}

// 1 + the largest value on an axis, as TIRx counts it: with the offset.
std::optional<Index> span_on(const AxeLayout& layout, std::string_view axis) {
  Index out = 1;
  for (const auto* list : {&layout.sharded, &layout.replicas}) {
    for (const AxeIterator& iterator : *list) {
      Index reach = 0;
      if (iterator.axis != axis) continue;
      if (mul_overflows(iterator.extent - 1, iterator.stride, reach) || add_overflows(out, reach, out))
        return std::nullopt;
    }
  }
  for (const AxeOffset& offset : layout.offsets) {
    if (offset.axis == axis && add_overflows(out, offset.value, out)) return std::nullopt;
  }
  return out;
}

Result<void> check_strides(const AxeLayout& layout) {
  for (const auto* list : {&layout.sharded, &layout.replicas}) {
    for (const AxeIterator& iterator : *list) {
      if (iterator.stride < 0) {
        return fail(Code::negative_stride,
                    fmt::format("the stride {} on {} is negative, so the layout has no span to tile with",
                                iterator.stride, iterator.axis));
      }
    }
  }
  return {};
}

}  // namespace

Result<AxeLayout> tile(const AxeLayout& outer, const AxeLayout& inner) {
  TESSERA_TRY(both, operands(outer, inner, "outer", "inner"));
  TESSERA_NEED(check_strides(outer));
  TESSERA_NEED(check_strides(inner));
  AxeLayout out = merged(outer, inner);
  const AxeLayout normal = canonical(inner);
  for (std::size_t d = 0; d < both.left.size(); ++d) {
    Index extent = 0;
    if (mul_overflows(outer.shape[d], inner.shape[d], extent))
      return fail(Code::overflow, "the tiled shape passes 64 bits");
    out.shape.push_back(extent);
    for (AxeIterator iterator : both.left[d]) {
      const auto on_axis = [&](const AxeIterator& of_inner) { return of_inner.axis == iterator.axis; };
      if (std::ranges::any_of(normal.sharded, on_axis)) {
        const auto span = span_on(normal, iterator.axis);
        if (!span || mul_overflows(iterator.stride, *span, iterator.stride))
          return fail(Code::overflow, fmt::format("strides on {} pass 64 bits", iterator.axis));
      }
      out.sharded.push_back(std::move(iterator));
    }
    out.sharded.insert(out.sharded.end(), both.right[d].begin(), both.right[d].end());
  }
  if (out.sharded.empty())
    out.sharded.push_back({1, 1, inner.sharded.empty() ? "m" : inner.sharded.front().axis});
  return detail::make_result(std::move(out));
}

Result<AxeLayout> direct_sum(const AxeLayout& left, const AxeLayout& right) {
  TESSERA_TRY(both, operands(left, right, "left", "right"));
  AxeLayout out = merged(left, right);
  for (std::size_t d = 0; d < both.left.size(); ++d) {
    out.shape.push_back(left.shape[d]);
    out.shape.push_back(right.shape[d]);
    for (const auto* from : {&both.left[d], &both.right[d]})
      out.sharded.insert(out.sharded.end(), from->begin(), from->end());
  }
  if (out.sharded.empty())
    out.sharded.push_back({1, 1, right.sharded.empty() ? "m" : right.sharded.front().axis});
  return detail::make_result(std::move(out));
}

}  // namespace tessera
