// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "tessera/expr/expr.h"

namespace tessera {
namespace {

Expr replaced(Expr e, std::span<const std::pair<Expr, Expr>> replacements,
              std::unordered_map<const void*, Expr>& memo) {
  const auto hit = std::ranges::find(replacements, e, &std::pair<Expr, Expr>::first);
  if (hit != replacements.end()) return hit->second;
  if (!e.is_binary()) return e;
  if (const auto found = memo.find(e.id()); found != memo.end()) return found->second;
  const Expr lhs = replaced(e.lhs(), replacements, memo);
  const Expr rhs = replaced(e.rhs(), replacements, memo);
  const Expr result = lhs == e.lhs() && rhs == e.rhs() ? e : Expr::binary(e.kind(), lhs, rhs);
  memo.emplace(e.id(), result);
  return result;
}

void append(Expr e, std::vector<Expr>& out) {
  if (e.is_binary()) {
    append(e.lhs(), out);
    append(e.rhs(), out);
  }
  out.push_back(e);
}

}  // namespace

Expr replace(Expr expr, std::span<const std::pair<Expr, Expr>> replacements) {
  std::unordered_map<const void*, Expr> memo;
  return replaced(expr, replacements, memo);
}

std::vector<Expr> postorder(Expr expr) {
  std::vector<Expr> out;
  append(expr, out);
  return out;
}

}  // namespace tessera
