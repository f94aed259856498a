// SPDX-License-Identifier: Apache-2.0
#include "expr/measure.h"

#include <algorithm>
#include <bit>

namespace tessera::detail {
namespace {

std::uint64_t absolute(Index v) {
  return v < 0 ? -static_cast<std::uint64_t>(v) : static_cast<std::uint64_t>(v);
}

int growth(Expr e, int lhs, int rhs) {
  if (e.kind() == ExprKind::add) return std::max(lhs, rhs) + 1;
  if (e.kind() != ExprKind::mul) return std::max(lhs, rhs);
  return e.lhs().is_constant() || e.rhs().is_constant() ? lhs + rhs : kTooManyBits;
}

}  // namespace

int bits_of(Index v) { return static_cast<int>(std::bit_width(absolute(v))); }
int bits_of(Interval b) { return static_cast<int>(std::bit_width(absolute(b.lower) | absolute(b.upper))); }

Measure measure(Workspace& ws, Expr e) {
  if (e.is_variable()) return {};
  if (e.is_constant()) return {.growth = bits_of(e.value()), .signs = 0};
  Workspace::MeasureMemo& memo = ws.measures[(e.hash() ^ e.hash() >> 32) % ws.measures.size()];
  if (memo.id == e.id()) return memo.measure;
  const Measure lhs = measure(ws, e.lhs());
  const Measure rhs = measure(ws, e.rhs());
  const bool negation = e.kind() == ExprKind::mul && e.rhs().is_constant(-1);
  const Measure own = {.growth = std::min(growth(e, lhs.growth, rhs.growth), kTooManyBits),
                       .signs = lhs.signs + rhs.signs + (negation ? 1 : 0)};
  memo = {e.id(), own};
  return own;
}

}  // namespace tessera::detail
