// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <numeric>
#include <optional>
#include <utility>

#include "base/modular.h"
#include "expr/questions/view.h"
#include "map/congruence.h"
#include "map/rebuild.h"
#include "tessera/map/map_algebra.h"

namespace tessera {
namespace {

using detail::Congruence;

enum class Meeting : std::uint8_t { one, none, too_large };

// Combines both congruences into one (Chinese remainder); `none` if they contradict each other.
Meeting meet(Congruence a, Congruence b, Congruence& out) {
  const Index g = std::gcd(a.modulus, b.modulus);
  if ((a.residue - b.residue) % g != 0) return Meeting::none;
  const auto lcm = checked_mul(a.modulus / g, b.modulus);
  if (!lcm) return Meeting::too_large;
  // x = a.residue + a.modulus * t, where a.modulus / g * t is (b.residue - a.residue) / g modulo n.
  const Index n = b.modulus / g;
  const auto t = static_cast<Index>(static_cast<__int128>(detail::modular_inverse(a.modulus / g, n)) *
                                    mod((b.residue - a.residue) / g, n) % n);
  out = {*lcm, a.residue + a.modulus * t};
  return Meeting::one;
}

struct VariableCongruence {
  std::size_t variable;
  Congruence congruence;
};

// Recognizes `s mod m in [r, r]`, also with a constant added to s, and with the digit counted backward. An
// impossible residue gives modulus 0.
std::optional<VariableCongruence> congruence_of(const Constraint& c, std::size_t variable_count) {
  if (!c.range.is_point()) return std::nullopt;
  const std::vector<Interval> anywhere(variable_count);  // so that bounds of s do not turn s mod m into s
  const auto digit = detail::view(c.expr, anywhere);
  if (!digit || digit->terms.size() != 1) return std::nullopt;
  const detail::DigitTerm& term = digit->terms[0];
  if (term.modulus == 0 || term.divisor != 1 || std::abs(term.coefficient) != 1) return std::nullopt;
  const auto base = detail::view(term.base, anywhere);
  if (!base || base->terms.size() != 1 || !base->terms[0].is_variable() || base->terms[0].coefficient != 1)
    return std::nullopt;
  const Index m = term.modulus;
  const auto variable = static_cast<std::size_t>(base->terms[0].base.value());
  Index r = 0;
  if (sub_overflows(c.range.lower, digit->constant, r) || mul_overflows(r, term.coefficient, r))
    return std::nullopt;
  if (r < 0 || r >= m) return VariableCongruence{variable, {0, 0}};
  return VariableCongruence{variable, {m, mod(r - mod(base->constant, m), m)}};
}

Index divided(Index bound, Index residue, Index m, bool up) {
  if (bound == (up ? kNegInf : kPosInf)) return bound;
  // Avoids overflow: residue < m, so floor((bound - residue) / m) is floor(bound / m) or one less.
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
    const auto found = congruence_of(map.constraints()[i], count);
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
    lists.of(map.domain().kind(v)).push_back(variable);
    replacements.push_back(value);
  }
  Domain rest = map.domain();
  rest.clear_constraints();
  for (std::size_t i = 0; i < absorbed.size(); ++i) {
    if (!absorbed[i]) rest.constrain(map.constraints()[i].expr, map.constraints()[i].range);
  }
  const IndexMap kept =
      IndexMap::make_unchecked(std::move(rest), {map.results().begin(), map.results().end()});
  return {detail::rebuild_over(kept, std::move(lists).domain(), replacements), true};
}

}  // namespace tessera
