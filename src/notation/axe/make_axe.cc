// SPDX-License-Identifier: Apache-2.0
#include "notation/axe/make_axe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/index_walk.h"
#include "base/try.h"
#include "notation/axe/axes.h"
#include "notation/layout_form.h"
#include "notation/limits.h"
#include "text/character_class.h"

namespace tessera {
namespace {

using detail::AxeFault;

AxeFault axe_fault(Code code, std::string message, std::string reason = {}, std::string axis = {}) {
  Diagnostic error{.code = code, .message = std::move(message)};
  if (!reason.empty()) error.message += fmt::format(" ({})", reason);
  error.reason = std::move(reason);
  return {std::move(error), std::move(axis)};
}

bool is_name(std::string_view name) {
  return !name.empty() && (detail::is_letter(name[0]) || name[0] == '_') &&
         std::ranges::all_of(name, detail::is_word);
}

// The smallest and the largest value of each axis.
struct AxisRange {
  Index lowest = 0;
  Index largest = 0;
};

std::optional<AxisRange> axis_range(const AxeLayout& layout, std::string_view axis) {
  AxisRange out;
  const auto add = [&](Index value) {
    Index& end = value < 0 ? out.lowest : out.largest;
    return !add_overflows(end, value, end) && end > -detail::kNotationLimits.offset &&
           end < detail::kNotationLimits.offset;
  };
  for (const AxeOffset& offset : layout.offsets) {
    if (offset.axis != axis) continue;
    if (offset.value <= -detail::kNotationLimits.offset || offset.value >= detail::kNotationLimits.offset)
      return std::nullopt;
    out = {offset.value, offset.value};
  }
  for (const auto* list : {&layout.sharded, &layout.replicas}) {
    for (const AxeIterator& iterator : *list) {
      Index span = 0;
      if (iterator.axis != axis) continue;
      if (iterator.stride <= -detail::kNotationLimits.offset ||
          iterator.stride >= detail::kNotationLimits.offset)
        return std::nullopt;
      if (mul_overflows(iterator.extent - 1, iterator.stride, span) || !add(span)) return std::nullopt;
    }
  }
  return out;
}

std::string_view counted(std::string_view axis) {
  if (axis == "laneid") return "lane";
  if (axis == "wid_in_wg") return "warp";
  if (axis == "tid_in_wg") return "thread";
  return axis;
}

std::optional<AxeFault> check_range(const AxeLayout& layout, const std::string& axis, detail::AxeEnds ends) {
  const auto range = axis_range(layout, axis);
  if (!range) {
    return axe_fault(Code::overflow, fmt::format("values on {} pass 2^62; use smaller strides", axis), {},
                     axis);
  }
  const detail::KnownAxis* const known = detail::known_axis(axis);
  const bool may_be_negative = axis == "m" && !layout.swizzle;
  if (range->lowest < 0 && !may_be_negative) {
    return axe_fault(
        Code::index_out_of_range,
        axis == "m"
            ? fmt::format("the value {} is negative, and a swizzle needs values of at least 0", range->lowest)
            : fmt::format("{} {} does not exist: values begin at 0", counted(axis), range->lowest),
        {}, axis);
  }
  if (ends == detail::AxeEnds::checked && known != nullptr && known->end != 0 &&
      range->largest >= known->end) {
    const std::string_view container = known->container.empty() ? "tensor memory" : known->container;
    return axe_fault(
        Code::index_out_of_range,
        known->container.empty()
            ? fmt::format("lane {} of {}, which has {} lanes", range->largest, container, known->end)
            : fmt::format("{} {} of a {} of {}", counted(axis), range->largest, container, known->end),
        {}, axis);
  }
  return std::nullopt;
}

std::optional<AxeFault> check_scope(std::span<const std::string> axes) {
  if (detail::chain_of(axes)) return std::nullopt;
  std::vector<std::string_view> threads;
  for (const std::string& name : axes) {
    const detail::KnownAxis* const axis = detail::known_axis(name);
    if (axis != nullptr && !axis->unit.empty()) threads.push_back(name);
  }
  AxeFault out = axe_fault(
      Code::not_applicable,
      fmt::format("the axes {} do not count from one unit to its containers", fmt::join(threads, " and ")),
      "scope", std::string(threads.back()));
  out.error.help =
      "use axes that follow each other: laneid, warpid, bx; or laneid, wid_in_wg, wgid; or tx, bx";
  return out;
}

std::optional<AxeFault> check_swizzle(const AxeLayout& layout, std::span<const std::string> axes) {
  if (!layout.swizzle) return std::nullopt;
  const Swizzle& swizzle = *layout.swizzle;
  const int shift = swizzle.shift < 0 ? -swizzle.shift : swizzle.shift;
  if (swizzle.bits < 0 || swizzle.base < 0 || shift < swizzle.bits ||
      swizzle.bits + swizzle.base + shift > 62)
    return axe_fault(Code::bad_swizzle,
                     fmt::format("a swizzle of {} bits at {} with shift {} does not exist: it "
                                 "needs S >= B >= 0, M >= 0 and a sum of at most 62",
                                 swizzle.bits, swizzle.base, swizzle.shift));
  for (const std::string& axis : axes) {
    if (axis != "m")
      return axe_fault(Code::not_applicable,
                       fmt::format("a swizzle is of the values on m, but {} is used", axis), "axes", axis);
  }
  return std::nullopt;
}

std::optional<AxeFault> check_extents(const AxeLayout& layout) {
  if (layout.shape.empty())
    return axe_fault(Code::rank_mismatch, "an Axe layout needs at least one dimension");
  for (const Index extent : layout.shape) {
    if (extent < 1) return axe_fault(Code::bad_extent, fmt::format("the extent {} is below 1", extent));
  }
  Index count = 1;
  for (const auto* list : {&layout.sharded, &layout.replicas}) {
    for (const AxeIterator& iterator : *list) {
      if (iterator.extent < 1)
        return axe_fault(Code::bad_extent, fmt::format("the extent {} is below 1", iterator.extent));
      if (list == &layout.sharded && mul_overflows(count, iterator.extent, count))
        return axe_fault(Code::overflow, "the extents of S multiply to more than 64 bits");
    }
  }
  const auto size = detail::element_count(layout.shape);
  if (!size || *size >= detail::kNotationLimits.offset)
    return axe_fault(Code::overflow, "the shape has 2^62 elements or more");
  if (*size != count) {
    return axe_fault(
        Code::shape_mismatch,
        fmt::format("the shape has {} elements, but the extents of S multiply to {}", *size, count));
  }
  return std::nullopt;
}

// One offset for each axis, in the order of axes. False if they overflow.
bool add_up(std::vector<AxeOffset>& offsets) {
  std::ranges::stable_sort(offsets, detail::axis_before, &AxeOffset::axis);
  std::vector<AxeOffset> out;
  for (AxeOffset& offset : offsets) {
    if (out.empty() || out.back().axis != offset.axis) {
      out.push_back(std::move(offset));
    } else if (add_overflows(out.back().value, offset.value, out.back().value)) {
      return false;
    }
  }
  offsets = std::move(out);
  return true;
}

}  // namespace

std::optional<AxeFault> detail::find_fault(AxeLayout& layout, AxeEnds ends) {
  if (auto found = check_extents(layout)) return found;
  if (!add_up(layout.offsets)) return axe_fault(Code::overflow, "the offsets add up to more than 64 bits");
  if (const std::size_t count = axis_names(layout).size(); count > detail::kNotationLimits.axe.axes) {
    return axe_fault(Code::limit, fmt::format("the layout has {} axes, and at most {} are read", count,
                                              detail::kNotationLimits.axe.axes));
  }
  // A zero says something only where it alone names the axis.
  std::erase_if(layout.offsets, [&](const AxeOffset& offset) {
    const auto on_axis = [&](const AxeIterator& iterator) { return iterator.axis == offset.axis; };
    return offset.value == 0 &&
           (std::ranges::any_of(layout.sharded, on_axis) || std::ranges::any_of(layout.replicas, on_axis));
  });
  if (layout.sharded.empty() && layout.replicas.empty()) {
    layout.sharded.push_back({1, 1, layout.offsets.empty() ? "m" : layout.offsets.front().axis});
  }
  const std::vector<std::string> axes = axis_names(layout);
  for (const std::string& axis : axes) {
    if (!is_name(axis))
      return axe_fault(Code::syntax, fmt::format("'{}' is not the name of an axis", axis), {}, axis);
  }
  if (auto found = check_swizzle(layout, axes)) return found;
  if (auto found = check_scope(axes)) return found;
  for (const std::string& axis : axes) {
    if (auto found = check_range(layout, axis, ends)) return found;
  }
  return std::nullopt;
}

Result<AxeLayout> make_axe(AxeLayout layout) {
  if (auto found = detail::find_fault(layout)) return fail(std::move(found->error));
  return layout;
}

Result<AxeLayout> detail::make_result(AxeLayout layout) {
  if (auto found = find_fault(layout, AxeEnds::unchecked)) return fail(std::move(found->error));
  return layout;
}

Result<Placement> placement(const AxeLayout& layout) {
  const std::vector<std::string> names = detail::axis_names(layout);
  const auto axis = [&](std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
  };
  PlacementDigits digits;
  digits.offset.assign(names.size(), 0);
  for (const AxeOffset& offset : layout.offsets) digits.offset[axis(offset.axis)] = offset.value;
  const auto add = [&](const std::vector<AxeIterator>& from, std::vector<PlacementDigit>& to) {
    for (const AxeIterator& iterator : from) {
      PlacementDigit digit{iterator.extent, std::vector<Index>(names.size(), 0)};
      digit.step[axis(iterator.axis)] = iterator.stride;
      to.push_back(std::move(digit));
    }
  };
  add(layout.sharded, digits.index);
  add(layout.replicas, digits.replicas);
  // A swizzled layout may have no memory axis at all if it has one element.
  if (layout.swizzle && axis("m") < names.size()) digits.swizzle = AxisSwizzle{axis("m"), *layout.swizzle};
  std::vector<PlacementAxis> axes;
  for (const std::string& name : names) axes.push_back({name, detail::axe_role(name)});
  return Placement::make(layout.shape, std::move(axes), std::move(digits));
}

}  // namespace tessera
