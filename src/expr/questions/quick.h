// SPDX-License-Identifier: Apache-2.0
/// \file
/// Questions about a small expression as it is written, answered without a normal form. "Empty" and "false"
/// mean that the text does not show the answer.
#pragma once

#include <concepts>
#include <optional>

#include "expr/limits.h"
#include "tessera/base/index.h"
#include "tessera/expr/expr.h"

namespace tessera::detail {

/// An interval that contains the values, by interval arithmetic: `bounds(v)` is the interval of a variable.
/// Empty if the expression is large, has an operation that may have no value, or may overflow.
template <class Bounds>
std::optional<Interval> quick_range(Expr e, const Bounds& bounds) {
  if (e.is_constant()) return Interval::point(e.value());
  if (e.is_variable()) return bounds(e.value());
  if (e.node_count() > kLimits.quick_nodes) return std::nullopt;
  const auto lhs = quick_range(e.lhs(), bounds);
  const auto rhs = quick_range(e.rhs(), bounds);
  if (!lhs || !rhs || !lhs->is_finite() || !rhs->is_finite()) return std::nullopt;
  if (e.kind() == ExprKind::add) return *lhs + *rhs;
  if (!e.rhs().is_constant()) return std::nullopt;
  const Index factor = e.rhs().value();
  if (e.kind() == ExprKind::mul) return *lhs * *rhs;
  if (factor < 1) return std::nullopt;
  if (e.kind() == ExprKind::floor_div) return floor_div(*lhs, factor);
  return e.kind() == ExprKind::mod ? std::optional(mod(*lhs, factor)) : std::nullopt;
}

/// The factor of a variable in a sum of multiples; empty if the variable is part of another operation.
std::optional<Index> quick_factor(Expr e, Index variable);

/// Whether the expression is a variable modulo a constant.
inline bool is_variable_mod(Expr e) {
  return e.kind() == ExprKind::mod && e.lhs().is_variable() && e.rhs().is_constant();
}

/// Calls `visit` with the number of each variable, in the order of the text; with repetitions.
/// O(nodes of the tree).
template <std::invocable<Index> Visit>
void for_each_variable(Expr e, const Visit& visit) {
  if (e.is_variable()) {
    visit(e.value());
  } else if (e.is_binary()) {
    for_each_variable(e.lhs(), visit);
    for_each_variable(e.rhs(), visit);
  }
}

/// Whether the texts are equal if variable v of `a` has the name place_a(v), and v of `b` has the name
/// place_b(v). O(nodes of the tree).
template <class PlaceA, class PlaceB>
bool same_renamed(Expr a, Expr b, const PlaceA& place_a, const PlaceB& place_b) {
  if (a.kind() != b.kind() || a.node_count() != b.node_count()) return false;
  if (a.is_constant()) return a.value() == b.value();
  if (a.is_variable()) return place_a(a.value()) == place_b(b.value());
  return same_renamed(a.lhs(), b.lhs(), place_a, place_b) && same_renamed(a.rhs(), b.rhs(), place_a, place_b);
}

}  // namespace tessera::detail
