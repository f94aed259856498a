// SPDX-License-Identifier: Apache-2.0
#include <numeric>
#include <optional>
#include <utility>

#include "map/rebuild.h"
#include "tessera/map/map_algebra.h"

namespace tessera {
namespace {

// x = residue modulo modulus, 0 <= residue < modulus.
struct Congruence {
  Index modulus = 1;
  Index residue = 0;
};

enum class Meeting : std::uint8_t { one, none, too_large };

// Both congruences as one (Chinese remainder): none when they contradict each other.
Meeting meet(Congruence a, Congruence b, Congruence& out) {
  const Index g = std::gcd(a.modulus, b.modulus);
  if ((a.residue - b.residue) % g != 0) return Meeting::none;
  const auto lcm = checked_mul(a.modulus / g, b.modulus);
  if (!lcm) return Meeting::too_large;
  // x = a.residue + a.modulus * t with t = (b.residue - a.residue) / g * inverse(a.modulus / g) mod
  // (b.modulus / g)
  const Index n = b.modulus / g;
  Index r0 = n;
  Index r1 = mod(a.modulus / g, n);
  Index t0 = 0;
  Index t1 = 1;
  while (r1 != 0) {
    const Index q = r0 / r1;
    r0 = std::exchange(r1, r0 - q * r1);
    t0 = std::exchange(t1, t0 - q * t1);
  }
  const auto t =
      static_cast<Index>(static_cast<__int128>(mod(t0, n)) * mod((b.residue - a.residue) / g, n) % n);
  out = {*lcm, a.residue + a.modulus * t};
  return Meeting::one;
}

struct VariableCongruence {
  std::size_t variable;
  Congruence congruence;
};

// `s mod m in [r, r]`, also with a constant added to s. An impossible residue gives modulus 0.
std::optional<VariableCongruence> congruence_of(const Constraint& c) {
  if (c.expr.kind() != ExprKind::mod || !c.range.is_point() || !c.expr.rhs().is_constant())
    return std::nullopt;
  const Index m = c.expr.rhs().value();
  if (m < 2) return std::nullopt;
  Expr x = c.expr.lhs();
  Index shift = 0;
  if (x.kind() == ExprKind::add && x.rhs().is_constant()) {
    shift = mod(x.rhs().value(), m);
    x = x.lhs();
  }
  if (!x.is_variable()) return std::nullopt;
  const Index r = c.range.lower;
  if (r < 0 || r >= m) return VariableCongruence{static_cast<std::size_t>(x.value()), {0, 0}};
  return VariableCongruence{static_cast<std::size_t>(x.value()), {m, mod(r - shift, m)}};
}

Index divided(Index bound, Index residue, Index m, bool up) {
  if (bound == (up ? kNegInf : kPosInf)) return bound;
  // residue < m, so that floor((bound - residue) / m) is floor(bound / m) or one less, without overflow.
  const Index q = floor_div(bound, m);
  const Index r = mod(bound, m);
  if (up) return r > residue ? q + 1 : q;
  return r < residue ? q - 1 : q;
}

}  // namespace

Rescaling rescale_symbols(const IndexMap& map) {
  if (map.known_empty()) return {.map = map};
  const std::size_t count = map.variables().size();
  std::vector<Congruence> of(count);
  std::vector<bool> absorbed(map.constraints().size());
  Rescaling nothing{IndexMap::empty(map.domain(), map.results().size()), true};
  bool any = false;
  for (std::size_t i = 0; i < absorbed.size(); ++i) {
    const auto found = congruence_of(map.constraints()[i]);
    if (!found || map.domain().kind(found->variable) != VariableKind::range) continue;
    if (found->congruence.modulus == 0) return nothing;
    Congruence& have = of[found->variable];
    switch (meet(have, found->congruence, have)) {
      case Meeting::none:
        return nothing;
      case Meeting::too_large:
        continue;
      case Meeting::one:
        absorbed[i] = true;
        any = true;
    }
  }
  if (!any) return {.map = map};

  detail::VariableLists lists;
  std::vector<Expr> replacements;
  for (std::size_t v = 0; v < count; ++v) {
    Variable variable = map.variables()[v];
    Expr value = Expr::variable(static_cast<Index>(v));
    if (of[v].modulus > 1) {
      const auto [m, r] = of[v];
      const auto interval = Interval::make(divided(variable.bounds.lower, r, m, true),
                                           divided(variable.bounds.upper, r, m, false));
      if (!interval) return nothing;
      variable.bounds = *interval;
      value = value * m + r;
    }
    lists.of(map.domain().kind(v)).push_back(std::move(variable));
    replacements.push_back(value);
  }
  Domain rest = map.domain();
  rest.clear_constraints();
  for (std::size_t i = 0; i < absorbed.size(); ++i) {
    if (!absorbed[i]) rest.constrain(map.constraints()[i].expr, map.constraints()[i].range);
  }
  const IndexMap kept =
      IndexMap::make_unchecked(std::move(rest), {map.results().begin(), map.results().end()});
  return {detail::rebuild(kept, std::move(lists), replacements), true};
}

}  // namespace tessera
