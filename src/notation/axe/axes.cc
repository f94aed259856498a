// SPDX-License-Identifier: Apache-2.0
#include "notation/axe/axes.h"

#include <algorithm>
#include <array>

namespace tessera {
namespace detail {
namespace {

constexpr AxisRole kPlace = AxisRole::place;
constexpr AxisRole kMemory = AxisRole::memory;

constexpr std::array<KnownAxis, 22> kAxes = {{
    {"bx", kPlace, "cta", "grid"},
    {"by", kPlace, "cta", "grid"},
    {"bz", kPlace, "cta", "grid"},
    {"cbx", kPlace, "cta", "cluster"},
    {"cby", kPlace, "cta", "cluster"},
    {"cbz", kPlace, "cta", "cluster"},
    {"tx", kPlace, "thread", "cta"},
    {"wgid", kPlace, "warpgroup", "cta"},
    {"warpid", kPlace, "warp", "cta"},
    {"tid_in_wg", kPlace, "thread", "warpgroup", 128},
    {"wid_in_wg", kPlace, "warp", "warpgroup", 4},
    {"laneid", kPlace, "thread", "warp", 32},
    {"m", kMemory},
    {"P", kMemory},
    {"F", kMemory},
    {"Bank", kMemory},
    {"TLane", kMemory, {}, {}, 128},
    {"TCol", kMemory},
    // Of the vectors of TPUs, which other notations have; in TIRx they are names like any other.
    {"vreg", kMemory},
    {"sublane", kMemory},
    {"lane", kMemory},
    {"sub", kMemory},
}};
constexpr std::size_t kOrdered = 18;

// From fine to wide, with the number of threads.
struct Unit {
  std::string_view name;
  Index threads;
};
constexpr std::array<Unit, 4> kUnits = {{{"thread", 1}, {"warp", 32}, {"warpgroup", 128}, {"cta", 0}}};

Index threads_of(std::string_view unit) {
  const auto found = std::ranges::find(kUnits, unit, &Unit::name);
  return found == kUnits.end() ? 0 : found->threads;
}

std::size_t order_of(std::string_view name) {
  const auto found = std::ranges::find(kAxes, name, &KnownAxis::name);
  return std::min(static_cast<std::size_t>(found - kAxes.begin()), kOrdered);
}

}  // namespace

std::span<const KnownAxis> known_axes() { return kAxes; }

const KnownAxis* known_axis(std::string_view name) {
  const auto found = std::ranges::find(kAxes, name, &KnownAxis::name);
  return found == kAxes.end() ? nullptr : &*found;
}

AxisRole axe_role(std::string_view name) {
  const KnownAxis* const axis = known_axis(name);
  return axis == nullptr ? AxisRole::place : axis->role;
}

bool axis_before(std::string_view a, std::string_view b) {
  return std::pair(order_of(a), a) < std::pair(order_of(b), b);
}

std::vector<std::string> axis_names(const AxeLayout& layout) {
  std::vector<std::string> out;
  for (const auto* list : {&layout.sharded, &layout.replicas}) {
    for (const AxeIterator& iterator : *list) out.push_back(iterator.axis);
  }
  for (const AxeOffset& offset : layout.offsets) out.push_back(offset.axis);
  std::ranges::sort(out, axis_before);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

std::optional<AxeScope> chain_of(std::span<const std::string> all) {
  std::vector<const KnownAxis*> axes;
  for (const std::string& name : all) {
    const KnownAxis* const axis = known_axis(name);
    if (axis != nullptr && !axis->unit.empty()) axes.push_back(axis);
  }
  if (axes.empty()) return AxeScope{};
  const auto container_of = [&](std::string_view unit) {
    const auto found = std::ranges::find(axes, unit, &KnownAxis::unit);
    return found == axes.end() ? std::string_view{} : (*found)->container;
  };
  for (const KnownAxis* const axis : axes) {
    if (container_of(axis->unit) != axis->container) return std::nullopt;  // two containers
  }
  std::string_view finest;
  for (const Unit& unit : kUnits) {
    if (finest.empty() && !container_of(unit.name).empty()) finest = unit.name;
  }
  std::size_t used = 0;
  std::string_view widest = finest;
  while (!container_of(widest).empty()) {
    used += static_cast<std::size_t>(std::ranges::count(axes, widest, &KnownAxis::unit));
    widest = container_of(widest);
  }
  if (used != axes.size()) return std::nullopt;
  return AxeScope{finest, widest};
}

FusedAxis fused_axis(std::string_view axis, std::span<const std::string> all) {
  const KnownAxis* const known = known_axis(axis);
  if (known == nullptr || known->unit.empty() || known->unit == "cta") return {axis, 1};
  std::string_view unit = known->unit;
  std::string_view container = known->container;
  for (const std::string& name : all) {
    const KnownAxis* const other = known_axis(name);
    if (other == nullptr || other->unit.empty() || other->unit == "cta") continue;
    if (threads_of(other->unit) < threads_of(unit)) unit = other->unit;
    const Index wide = threads_of(other->container);
    if (threads_of(container) != 0 && (wide == 0 || wide > threads_of(container)))
      container = other->container;
  }
  for (const KnownAxis& to : kAxes) {
    if (to.unit == unit && to.container == container)
      return {to.name, threads_of(known->unit) / threads_of(unit)};
  }
  return {axis, 1};
}

}  // namespace detail

std::optional<AxeScope> scope(const AxeLayout& layout) {
  auto out = detail::chain_of(detail::axis_names(layout));
  if (!out || out->unit.empty()) return std::nullopt;
  return out;
}

}  // namespace tessera
