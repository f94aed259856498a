// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "base/index_walk.h"
#include "base/try.h"
#include "notation/from_digits.h"
#include "notation/limits.h"
#include "notation/not_representable.h"
#include "tessera/notation/axe.h"

namespace tessera {
namespace {

// The axes of threads and of values in a placement. Without one of them, there is one thread, or one value.
struct ViewAxes {
  std::optional<std::size_t> thread = {};
  std::optional<std::size_t> value = {};
};

Result<ViewAxes> view_axes(const Placement& placement) {
  ViewAxes out;
  for (std::size_t a = 0; a < placement.axes().size(); ++a) {
    const PlacementAxis& axis = placement.axes()[a];
    const bool is_place = axis.role == AxisRole::place;
    if (is_place ? out.thread.has_value() : axis.name != "m") {
      return detail::not_representable(
          "axes", is_place ? fmt::format("the threads are on two axes, {} and {}",
                                         placement.axes()[*out.thread].name, axis.name)
                           : fmt::format("{} is neither an axis of threads nor of their values", axis.name));
    }
    if (is_place)
      out.thread = a;
    else
      out.value = a;
  }
  return out;
}

Result<void> check_signs(const Placement& placement, const PlacementDigits& digits) {
  for (std::size_t a = 0; a < digits.offset.size(); ++a) {
    if (digits.offset[a] != 0)
      return detail::not_representable("offset", fmt::format("the values on {} begin at {}, not at 0",
                                                             placement.axes()[a].name, digits.offset[a]));
  }
  for (const auto* list : {&digits.index, &digits.replicas}) {
    for (const PlacementDigit& digit : *list) {
      for (std::size_t a = 0; a < digit.step.size(); ++a) {
        if (digit.extent > 1 && digit.step[a] < 0)
          return detail::not_representable(
              "negative_stride",
              fmt::format("the stride {} on {} is negative", digit.step[a], placement.axes()[a].name));
      }
    }
  }
  return {};
}

// A digit of one axis: its stride there, and what it adds to the 1-D index.
struct ViewDigit {
  Index extent = 1;
  Index stride = 0;
  Index index = 0;
};

// The digits of threads and of values, if each digit moves one axis and they nest: digit k counts in steps of
// the product of the extents below it, so that every place of the box is taken once.
struct NestedView {
  std::array<std::vector<ViewDigit>, 2> axes;
};

bool nest(std::vector<ViewDigit>& digits) {
  std::ranges::sort(digits, {}, &ViewDigit::stride);
  Index next = 1;
  for (const ViewDigit& digit : digits) {
    if (digit.stride != next) return false;
    next *= digit.extent;
  }
  return true;
}

std::optional<NestedView> nested_view(const Placement& placement, const PlacementDigits& digits,
                                      ViewAxes axes) {
  if (digits.combination != DigitCombination::sum || digits.swizzle) return std::nullopt;
  NestedView out;
  const auto add = [&](Index extent, const std::vector<Index>& step, Index factor, Index index) {
    const Index thread = axes.thread ? step[*axes.thread] * factor : 0;
    const Index value = axes.value ? step[*axes.value] * factor : 0;
    if ((thread == 0) == (value == 0)) return false;
    out.axes[thread == 0 ? 1 : 0].push_back({extent, thread == 0 ? value : thread, index});
    return true;
  };
  std::vector<Index> first_fastest(placement.rank(), 1);
  for (std::size_t d = 1; d < placement.rank(); ++d)
    first_fastest[d] = first_fastest[d - 1] * placement.shape()[d - 1];
  std::size_t dim = placement.rank();
  Index rest = 1;
  Index weight = 1;
  for (std::size_t k = digits.index.size(); k-- > 0;) {
    Index extent = digits.index[k].extent;
    Index factor = 1;
    while (extent > 1) {
      while (rest == 1) {
        rest = placement.shape()[--dim];
        weight = first_fastest[dim];
      }
      const Index part = std::min(extent, rest);
      if (extent % part != 0 || rest % part != 0) return std::nullopt;
      if (!add(part, digits.index[k].step, factor, weight)) return std::nullopt;
      weight *= part;
      factor *= part;
      extent /= part;
      rest /= part;
    }
  }
  for (const PlacementDigit& replica : digits.replicas) {
    const bool still = std::ranges::all_of(replica.step, [](Index s) { return s == 0; });
    if (replica.extent == 1 || still) continue;
    if (!add(replica.extent, replica.step, 1, 0)) return std::nullopt;
  }
  if (!nest(out.axes[0]) || !nest(out.axes[1])) return std::nullopt;
  return out;
}

Result<StridedLayout> from_nested(const NestedView& view) {
  std::vector<Index> box;
  std::vector<Digit> all;
  for (std::size_t d = 0; d < 2; ++d) {
    Index div = 1;
    for (const ViewDigit& digit : view.axes[d]) {
      all.push_back({static_cast<Index>(d), div, digit.extent, digit.index});
      div *= digit.extent;
    }
    box.push_back(div);
  }
  return to_strided_layout(Digits::normalized(std::move(box), 0, std::move(all)));
}

std::string index_text(Index flat, const Placement& placement) {
  return detail::point_text(detail::index_with_number(placement.shape(), flat));
}

// By listing every place.
Result<StridedLayout> from_places(const Placement& placement, ViewAxes axes) {
  const auto replicas = placement.replicas();
  Index work = 0;
  Index threads = 0;
  Index values = 0;
  if (!replicas || *replicas > kMaxReplicas || mul_overflows(*replicas, placement.size(), work) ||
      work > detail::kNotationLimits.place_cells) {
    return fail(Code::undecided,
                "the threads and values do not nest, and there are more than 2^22 places to list");
  }
  std::vector<std::array<Index, 3>> held;  // thread, value, flat index
  std::vector<Index> index(placement.rank(), 0);
  Index flat = 0;
  do {
    TESSERA_TRY(all, places(placement, index));
    for (const Place& place : all) {
      const Index value = axes.value ? place[*axes.value] : 0;
      const Index thread = axes.thread ? place[*axes.thread] : 0;
      threads = std::max(threads, thread + 1);
      values = std::max(values, value + 1);
      held.push_back({thread, value, flat});
    }
    ++flat;
  } while (detail::next_index(index, placement.shape()));
  std::ranges::sort(held);
  for (std::size_t k = 1; k < held.size(); ++k) {
    const auto& [t, v, x] = held[k];
    if (held[k - 1][0] != t || held[k - 1][1] != v) continue;
    return detail::not_representable(
        "broadcast", fmt::format("two elements share value {} of thread {}", v, t),
        fmt::format("{} and {}", index_text(held[k - 1][2], placement), index_text(x, placement)));
  }
  Index cells = 0;
  if (mul_overflows(threads, values, cells)) cells = kIndexMax;
  // Ends at the first hole, so never beyond the places that are held.
  for (std::size_t k = 0; static_cast<Index>(k) < cells; ++k) {
    const Index t = static_cast<Index>(k) / values;
    const Index v = static_cast<Index>(k) % values;
    if (k < held.size() && held[k][0] == t && held[k][1] == v) continue;
    return detail::not_representable("padding", fmt::format("value {} of thread {} holds no element", v, t));
  }
  const auto offset = [&](std::span<const Index> at) {
    const Index x = held[static_cast<std::size_t>(at[0] * values + at[1])][2];
    const std::vector<Index> where = detail::index_with_number(placement.shape(), x);
    Index out = 0;
    for (std::size_t d = where.size(); d-- > 0;) out = out * placement.shape()[d] + where[d];
    return out;
  };
  const std::vector<std::vector<std::size_t>> together = {{0, 1}};
  TESSERA_TRY(found, digits_by_tables({threads, values}, offset, together));
  for (std::size_t d = 0; d < 2; ++d) {
    if (found.digit_extent(d) != found.box()[d])
      return detail::not_representable("irregular", "the threads or values have no chain of digits");
  }
  return to_strided_layout(found);
}

}  // namespace

Result<StridedLayout> thread_value(const Placement& placement) {
  TESSERA_TRY(axes, view_axes(placement));
  const PlacementDigits* const digits = placement.digits();
  if (digits == nullptr)
    return fail(Code::undecided, "the placement has no digits, and thread-value layouts are made from them");
  if (placement.size() == 0) return detail::not_representable("empty", "the tile has no element");
  TESSERA_NEED(check_signs(placement, *digits));
  if (const auto nested = nested_view(placement, *digits, axes)) return from_nested(*nested);
  return from_places(placement, axes);
}

Result<StridedLayout> thread_value(const AxeLayout& layout) {
  TESSERA_TRY(one, fused(layout));
  TESSERA_TRY(placed, placement(one));
  return thread_value(placed);
}

}  // namespace tessera
