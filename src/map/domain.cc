// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <set>

#include "base/mutex.h"
#include "tessera/map/index_map.h"

namespace tessera {

VariableName::VariableName(std::string_view text) {
  if (text.empty()) return;
  static detail::Mutex mutex;
  static auto* const texts = new std::set<std::string, std::less<>>;  // outlives all maps
  const detail::MutexLock lock(mutex);
  auto found = texts->find(text);
  if (found == texts->end()) found = texts->emplace(text).first;
  text_ = &*found;
}

std::string_view role_of_name(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kRoles = {{{"th_x", "thread x"},
                                                                                    {"th_y", "thread y"},
                                                                                    {"th_z", "thread z"},
                                                                                    {"bl_x", "block x"},
                                                                                    {"bl_y", "block y"},
                                                                                    {"bl_z", "block z"},
                                                                                    {"warp", "warp"},
                                                                                    {"th_w", "lane"}}};
  const auto found = std::ranges::find(kRoles, name, &std::pair<std::string_view, std::string_view>::first);
  return found == kRoles.end() ? "default" : found->second;
}

Domain::Domain(std::vector<Variable> dims, std::vector<Variable> ranges, std::vector<Variable> runtimes)
    : variables_(std::move(dims)),
      dim_count_(static_cast<std::uint32_t>(variables_.size())),
      range_count_(static_cast<std::uint32_t>(ranges.size())) {
  if (!ranges.empty() || !runtimes.empty())
    variables_.reserve(variables_.size() + ranges.size() + runtimes.size());
  std::ranges::move(ranges, std::back_inserter(variables_));
  std::ranges::move(runtimes, std::back_inserter(variables_));
}

Domain Domain::of(std::vector<Variable> all, KindCounts counts) {
  Domain out;
  out.variables_ = std::move(all);
  out.dim_count_ = static_cast<std::uint32_t>(counts.dims);
  out.range_count_ = static_cast<std::uint32_t>(counts.ranges);
  return out;
}

Domain Domain::box(std::span<const Index> extents) {
  std::vector<Variable> dims;
  dims.reserve(extents.size());
  for (const Index extent : extents)
    dims.push_back({extent > 0 ? Interval::of_extent(extent) : Interval::point(0)});
  Domain domain = of(std::move(dims), {.dims = extents.size()});
  if (std::ranges::any_of(extents, [](Index extent) { return extent <= 0; })) domain.set_known_empty();
  return domain;
}

VariableKind Domain::kind(std::size_t variable) const {
  if (variable < dim_count_) return VariableKind::dimension;
  return variable < dim_count_ + range_count_ ? VariableKind::range : VariableKind::runtime;
}

std::string Domain::name(std::size_t variable) const {
  if (!variables_[variable].name.empty()) return variables_[variable].name.str();
  switch (kind(variable)) {
    case VariableKind::dimension:
      return fmt::format("d{}", variable);
    case VariableKind::range:
      return fmt::format("s{}", variable - dim_count_);
    case VariableKind::runtime:
      return fmt::format("rt{}", variable - dim_count_ - range_count_);
  }
  return {};
}

void Domain::constrain(Expr expr, Interval range) {
  if (known_empty_) return;
  if (range.lower > range.upper) return set_known_empty();
  if (expr.is_constant()) {
    if (!range.contains(expr.value())) set_known_empty();
    return;
  }
  if (expr.node().variables == 0) return set_known_empty();  // a constant with a value would have been folded
  const auto narrow = [&](Interval& bounds) {
    if (const auto common = intersect(bounds, range)) {
      bounds = *common;
    } else {
      set_known_empty();
    }
  };
  if (expr.is_variable()) {
    narrow(variables_[static_cast<std::size_t>(expr.value())].bounds);
    return;
  }
  const auto present = std::ranges::find(constraints_, expr, &Constraint::expr);
  if (present == constraints_.end()) {
    constraints_.push_back({expr, range});
  } else {
    narrow(present->range);
  }
}

void Domain::set_known_empty() {
  known_empty_ = true;
  constraints_.clear();
  for (Variable& variable : variables_) variable.bounds = Interval::point(0);
}

Domain Domain::with(std::span<const Interval> bounds, std::vector<Constraint> constraints) const& {
  Domain out;
  out.variables_ = variables_;
  out.dim_count_ = dim_count_;
  out.range_count_ = range_count_;
  out.known_empty_ = known_empty_;
  return std::move(out).with(bounds, std::move(constraints));
}

Domain Domain::with(std::span<const Interval> bounds, std::vector<Constraint> constraints) && {
  for (std::size_t i = 0; i < bounds.size(); ++i) variables_[i].bounds = bounds[i];
  constraints_ = std::move(constraints);
  return std::move(*this);
}

bool Domain::constraints_satisfied(std::span<const Index> values) const {
  if (known_empty_) return false;
  return std::ranges::all_of(constraints_, [&](const Constraint& c) {
    const auto value = evaluate(c.expr, values);
    return value && c.range.contains(*value);
  });
}

bool Domain::contains(std::span<const Index> values) const {
  if (known_empty_ || values.size() != variables_.size()) return false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!variables_[i].bounds.contains(values[i])) return false;
  }
  return constraints_satisfied(values);
}

bool operator==(const Domain& a, const Domain& b) {
  if (a.dim_count_ != b.dim_count_ || a.range_count_ != b.range_count_ || a.known_empty_ != b.known_empty_ ||
      a.constraints_.size() != b.constraints_.size()) {
    return false;
  }
  return std::ranges::equal(a.variables_, b.variables_, {}, &Variable::bounds, &Variable::bounds) &&
         std::ranges::is_permutation(a.constraints_, b.constraints_);
}

}  // namespace tessera
