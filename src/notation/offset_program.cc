// SPDX-License-Identifier: Apache-2.0
#include "notation/offset_program.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "map/enumerate.h"
#include "notation/refusal.h"
#include "tessera/notation/digits.h"

namespace tessera::detail {
namespace {

Interval ceil_divided(Interval a, Index divisor) { return -floor_div(-a, divisor); }

// The range of a node for operands in these intervals; unbounded if a division may be undefined.
Interval values(ExprKind kind, Interval a, Interval b) {
  const bool divides = b.is_point() && b.lower != 0;
  switch (kind) {
    case ExprKind::add:
      return a + b;
    case ExprKind::mul:
      return a * b;
    case ExprKind::mod:
      return divides ? mod(a, b.lower) : Interval();
    case ExprKind::floor_div:
      return divides ? floor_div(a, b.lower) : Interval();
    case ExprKind::ceil_div:
      return divides ? ceil_divided(a, b.lower) : Interval();
    case ExprKind::max:
      return max(a, b);
    case ExprKind::min:
      return min(a, b);
    case ExprKind::variable:
    case ExprKind::constant:
      break;
  }
  return {};
}

// Evaluates every index of the box. Returns the bounds of the values.
Result<Interval> enumerated(Expr expr, std::span<const Index> box) {
  std::vector<Interval> intervals;
  for (const Index extent : box) intervals.push_back(Interval::of_extent(extent));
  const auto points = point_count(intervals);
  if (!points || *points > kTableLimit) {
    return fail(
        Code::undecided,
        fmt::format("whether the map has a value at every index was not decided: its bounds do not prove "
                    "it, and it has more than {} indices, too many to enumerate",
                    kTableLimit));
  }
  BoxRows rows(intervals);
  RowEvaluator evaluator(std::span(&expr, 1), box.size());
  Interval bounds;
  bool first = true;
  while (rows.next()) {
    evaluator.run(rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!evaluator.defined(0, i)) {
        const std::string witness = point_text(rows.point(i));
        return refuse("not_a_layout", fmt::format("the map has no value at {}", witness), witness);
      }
      const Interval value = Interval::point(evaluator.value(0, i));
      bounds = first ? value : hull(bounds, value);
      first = false;
    }
  }
  return bounds;
}

}  // namespace

Result<OffsetProgram> OffsetProgram::make(Expr expr, std::span<const Index> box) {
  OffsetProgram program;
  if (std::ranges::find(box, 0) != box.end()) return program;
  std::vector<Interval> bounds;
  std::unordered_map<const void*, std::uint32_t> place;
  bool total = true;
  // Operands come before their operation; shared nodes are visited once.
  const auto compile = [&](const auto& self, Expr e) -> std::uint32_t {
    if (const auto known = place.find(e.id()); known != place.end()) return known->second;
    Instruction next{.kind = e.kind(), .value = 0};
    Interval range;
    if (e.is_binary()) {
      next.lhs = self(self, e.lhs());
      next.rhs = self(self, e.rhs());
      range = values(e.kind(), bounds[next.lhs], bounds[next.rhs]);
    } else {
      next.value = e.value();
      range = e.is_constant() ? Interval::point(e.value())
                              : Interval::of_extent(box[static_cast<std::size_t>(e.value())]);
    }
    total = total && range.is_finite();
    program.code_.push_back(next);
    bounds.push_back(range);
    const auto at = static_cast<std::uint32_t>(program.code_.size() - 1);
    place.emplace(e.id(), at);
    return at;
  };
  compile(compile, expr);
  program.bounds_ = bounds.back();
  if (total) return program;
  const auto seen = enumerated(expr, box);
  if (!seen) return fail(seen.error());
  program.bounds_ = *seen;
  program.exact_ = true;
  return program;
}

Index OffsetProgram::run(std::span<const Index> index) const {
  constexpr std::size_t kOnStack = 64;
  std::array<Index, kOnStack> small = {};
  std::vector<Index> large;
  if (code_.size() > kOnStack) large.resize(code_.size());
  Index* const value = large.empty() ? small.data() : large.data();
  for (std::size_t i = 0; i < code_.size(); ++i) {
    const Instruction& in = code_[i];
    if (in.kind == ExprKind::constant || in.kind == ExprKind::variable) {
      value[i] = in.kind == ExprKind::constant ? in.value : index[static_cast<std::size_t>(in.value)];
      continue;
    }
    const Index a = value[in.lhs];
    const Index b = value[in.rhs];
    switch (in.kind) {
      case ExprKind::add:
        value[i] = a + b;
        break;
      case ExprKind::mul:
        value[i] = a * b;
        break;
      case ExprKind::mod:
        value[i] = mod(a, b);
        break;
      case ExprKind::floor_div:
        value[i] = floor_div(a, b);
        break;
      case ExprKind::ceil_div:
        value[i] = ceil_div(a, b);
        break;
      case ExprKind::max:
        value[i] = std::max(a, b);
        break;
      default:
        value[i] = std::min(a, b);
        break;
    }
  }
  return value[code_.size() - 1];
}

}  // namespace tessera::detail
