// SPDX-License-Identifier: Apache-2.0
#include "expr/questions/program.h"

#include <algorithm>
#include <array>

#include "expr/form/range.h"

namespace tessera::detail {

std::uint32_t Program::add(Expr e) {
  if (const auto known = numbers_.find(e.id()); known != numbers_.end()) return known->second;
  Step step{.kind = e.kind(), .value = 0};
  if (e.is_binary()) {
    step.lhs = add(e.lhs());
    step.rhs = add(e.rhs());
  } else {
    step.value = e.value();
  }
  const auto number = static_cast<std::uint32_t>(steps_.size());
  steps_.push_back(step);
  numbers_.emplace(e.id(), number);
  return number;
}

std::optional<Interval> Program::bounds(std::span<const Interval> box) const {
  std::vector<Interval> bounds;
  bounds.reserve(steps_.size());
  for (const Step& step : steps_) {
    if (step.kind == ExprKind::constant) {
      bounds.push_back(Interval::point(step.value));
    } else if (step.kind == ExprKind::variable) {
      bounds.push_back(box[static_cast<std::size_t>(step.value)]);
    } else {
      const Interval divisor = bounds[step.rhs];
      if (is_division(step.kind) && (divisor.contains(Index{0}) || divisor.contains(kIndexMin)))
        return std::nullopt;
      bounds.push_back(operation_range(step.kind, bounds[step.lhs], divisor));
    }
    if (!bounds.back().is_finite()) return std::nullopt;
  }
  return bounds.back();
}

Index Program::run(std::span<const Index> point) const {
  constexpr std::size_t kOnStack = 64;
  std::array<Index, kOnStack> few;
  std::vector<Index> many;
  if (steps_.size() > kOnStack) many.resize(steps_.size());
  Index* const values = many.empty() ? few.data() : many.data();
  if (many.empty())
    std::fill_n(values, steps_.size(),
                0);  // only for GCC, which cannot see that each value is set before use
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    if (!step.is_binary()) {
      values[i] = step.kind == ExprKind::constant ? step.value : point[static_cast<std::size_t>(step.value)];
      continue;
    }
    const Index a = values[step.lhs];
    const Index b = values[step.rhs];
    switch (step.kind) {
      case ExprKind::add:
        values[i] = a + b;
        break;
      case ExprKind::mul:
        values[i] = a * b;
        break;
      case ExprKind::mod:
        values[i] = mod(a, b);
        break;
      case ExprKind::floor_div:
        values[i] = floor_div(a, b);
        break;
      case ExprKind::ceil_div:
        values[i] = ceil_div(a, b);
        break;
      case ExprKind::max:
        values[i] = std::max(a, b);
        break;
      default:
        values[i] = std::min(a, b);
        break;
    }
  }
  return values[steps_.size() - 1];
}

}  // namespace tessera::detail
