// SPDX-License-Identifier: Apache-2.0
#include <unordered_map>

#include "tessera/expr/expr.h"

namespace tessera {
namespace {

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

bool is_any_division(ExprKind kind) {
  return kind == ExprKind::floor_div || kind == ExprKind::ceil_div || kind == ExprKind::mod;
}

bool is_negated(Expr e) {
  return e.kind() == ExprKind::mul && (e.rhs().is_constant(-1) || e.lhs().is_constant(-1));
}

// The size that a node adds to that of its operands. Every negative constant counts as one sign (alone, as a
// factor, right of a minus or as a divisor), and a factor of -1 counts only as a sign.
ExprSize own_size(Expr e) {
  if (e.is_constant()) return {.operators = 0, .divisions = 0, .signs = e.value() < 0 ? 1u : 0u};
  if (e.is_variable() || is_negated(e)) return {};
  return {.operators = 1, .divisions = is_any_division(e.kind()) ? 1u : 0u, .signs = 0};
}

using Memo = std::unordered_map<const void*, ExprSize>;

ExprSize size_of(Expr e, Memo* memo) {
  if (!e.is_binary()) return own_size(e);
  if (memo != nullptr) {
    if (const auto found = memo->find(e.id()); found != memo->end()) return found->second;
  }
  ExprSize sum = own_size(e);
  for (const ExprSize& part : {size_of(e.lhs(), memo), size_of(e.rhs(), memo)}) {
    sum.operators = saturating_add(sum.operators, part.operators);
    sum.divisions = saturating_add(sum.divisions, part.divisions);
    sum.signs = saturating_add(sum.signs, part.signs);
  }
  if (memo != nullptr) memo->emplace(e.id(), sum);
  return sum;
}

}  // namespace

ExprSize size(Expr expr) {
  if (expr.node_count() < 64) return size_of(expr, nullptr);
  Memo memo;
  return size_of(expr, &memo);
}

}  // namespace tessera
