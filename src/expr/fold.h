// SPDX-License-Identifier: Apache-2.0
/// \file
/// Evaluates an expression with values that are not numbers.
#pragma once

#include <unordered_map>

#include "tessera/expr/expr.h"

namespace tessera::detail {

/// Computes the value of an expression, operands first and each distinct node once. `Operations` names the
/// type of values, Value, and has a member function for constant(Index), variable(Index) and for each
/// operation on two values: add, mul, mod, floor_div, ceil_div, max, min.
template <class Operations>
class Fold {
 public:
  using Value = typename Operations::Value;
  explicit Fold(Operations& operations) : operations_(operations) {}

  Value operator()(Expr e) {
    if (e.is_constant()) return operations_.constant(e.value());
    if (e.is_variable()) return operations_.variable(e.value());
    if (const auto known = values_.find(e.id()); known != values_.end()) return known->second;
    const Value lhs = (*this)(e.lhs());
    Value value = apply_to(e.kind(), lhs, (*this)(e.rhs()));
    values_.emplace(e.id(), value);
    return value;
  }

  void forget() { values_.clear(); }

 private:
  Value apply_to(ExprKind kind, const Value& a, const Value& b) {
    switch (kind) {
      case ExprKind::add:
        return operations_.add(a, b);
      case ExprKind::mul:
        return operations_.mul(a, b);
      case ExprKind::mod:
        return operations_.mod(a, b);
      case ExprKind::floor_div:
        return operations_.floor_div(a, b);
      case ExprKind::ceil_div:
        return operations_.ceil_div(a, b);
      case ExprKind::max:
        return operations_.max(a, b);
      default:
        return operations_.min(a, b);
    }
  }

  Operations& operations_;
  std::unordered_map<const void*, Value> values_;
};

}  // namespace tessera::detail
