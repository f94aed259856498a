// SPDX-License-Identifier: Apache-2.0
// Signs: whether a polynomial is at least 0 at every point of a region.
#include <algorithm>
#include <array>

#include "size/limits.h"
#include "size/region.h"

namespace tessera::symbolic {

Polynomial SizeRegion::shifted(const Polynomial& p) const {
  std::map<SizeVariable, Polynomial> lows;
  for (const SizeVariable v : p.variables()) {
    const auto found = cores_.find(v);
    if (found == cores_.end()) return Polynomial::unknown();
    if (found->second.low != 0) lows[v] = Polynomial::of(v) + found->second.low;
  }
  return p.substituted(lows);
}

bool SizeRegion::nonnegative(const Polynomial& p) const {
  if (!p.known()) return false;
  if (p.is_constant()) return p.constant() >= 0;
  if (const auto found = proved_.find(p); found != proved_.end()) return found->second;
  if (refuted(p)) return proved_[p] = false;
  if (active_ == 0) steps_ = kSizeLimits.sign_steps;
  ++active_;
  const bool yes = prove(p, 2);
  --active_;
  // A no within another question may be due to the steps that are left.
  if (yes || active_ == 0) proved_[p] = yes;
  return yes;
}

bool SizeRegion::prove(const Polynomial& p, int depth) const {
  if (!p.known()) return false;
  if (p.is_constant()) return p.constant() >= 0;
  const Polynomial s = shifted(p);
  if (!s.known()) return false;
  if (s.has_no_negative()) return true;  // costs no step
  if (--steps_ < 0 || ++space_->proof_steps > kSizeLimits.proof_steps) return false;
  const Monomial variables = p.variables();
  const bool all = every(variables, [&](const Point& point) {
    const auto value = p.evaluate(point);
    return value && (*value >= 0 || !satisfies_facts(point));
  });
  if (all) return true;
  bool by_ends = false;
  if (prove_by_ends(p, depth, by_ends)) return true;
  if (variables.size() == 1 && prove_univariate(p, variables[0])) return true;
  if (prove_by_facts(s, depth)) return true;
  if (depth > 0 && variables.size() >= 2 && prove_by_order(p)) return true;
  return depth > 0 && prove_by_split(p, depth);
}

// A core with two ends in which p is linear: both ends decide.
bool SizeRegion::prove_by_ends(const Polynomial& p, int depth, bool& applied) const {
  for (const SizeVariable v : p.variables()) {
    const Range range = cores_.at(v);
    if (!range.high || p.degree(v) != 1) continue;
    applied = true;
    const Polynomial factor = p.coefficients(v)[1];
    const bool low = factor.is_constant() ? factor.constant() > 0 : true;
    const bool high = factor.is_constant() ? factor.constant() < 0 : true;
    return (!low || prove(p.substituted(v, range.low), depth)) &&
           (!high || prove(p.substituted(v, *range.high), depth));
  }
  return false;
}

// One core: beyond Cauchy's bound for roots the leading coefficient decides.
bool SizeRegion::prove_univariate(const Polynomial& p, SizeVariable v) const {
  const Range range = cores_.at(v);
  const std::vector<Polynomial> parts = p.coefficients(v);
  const Integer lead = parts.back().constant();
  Integer sum = 0;
  for (std::size_t e = 0; e + 1 < parts.size(); ++e) {
    const Integer c = parts[e].constant();
    const auto next = checked_add(sum, c < 0 ? -c : c);
    if (!next) return false;
    sum = *next;
  }
  const Integer bound = sum / (lead < 0 ? -lead : lead) + 2;
  Integer top = std::max(range.low, bound);
  if (!range.high) {
    if (lead < 0) return false;
  } else {
    top = lead > 0 ? std::min(top, *range.high) : *range.high;
  }
  if (top - range.low > kSizeLimits.residues) return false;
  for (Integer x = range.low; x <= top; ++x) {
    const auto value = p.evaluate([&](SizeVariable) -> std::optional<Integer> { return x; });
    if (!value || *value < 0) return false;
  }
  return true;
}

namespace {

/// Monomials l with coefficients of at least 0 such that s - l * f may lose negative terms of s.
std::vector<Polynomial::Term> multipliers(const Polynomial& s, const Polynomial& f) {
  std::vector<Polynomial::Term> out = {{{}, 1}};
  for (const Polynomial::Term& t : s.terms()) {
    if (t.factor >= 0) continue;
    for (const Polynomial::Term& u : f.terms()) {
      if (u.factor >= 0 || out.size() == kSizeLimits.multipliers || t.factor % u.factor != 0) continue;
      std::optional<Monomial> m = over(t.monomial, u.monomial);
      if (!m) continue;
      Polynomial::Term x{*std::move(m), t.factor / u.factor};
      if (std::ranges::find(out, x) == out.end()) out.push_back(std::move(x));
    }
  }
  return out;
}

std::ptrdiff_t negatives(const Polynomial& p) {
  return std::ranges::count_if(p.terms(), [](const Polynomial::Term& t) { return t.factor < 0; });
}

}  // namespace

const std::vector<Polynomial>& SizeRegion::shifted_facts() const {
  if (!shifted_facts_) {
    shifted_facts_.emplace();
    for (const Polynomial& f : facts_) {
      if (Polynomial fs = shifted(f); fs.known()) shifted_facts_->push_back(std::move(fs));
    }
  }
  return *shifted_facts_;
}

// p = l * f + (no negative coefficient), for a fact f >= 0, or two of them; all over cores from 0 on.
bool SizeRegion::prove_by_facts(const Polynomial& s, int depth) const {
  const std::vector<Polynomial>& facts = shifted_facts();
  // A multiple of a fact removes at most as many negative terms as the fact has.
  const bool pairs = facts_.size() >= 2 && depth > 0;
  std::vector<Polynomial> rests;
  for (const Polynomial& f : facts) {
    if (!pairs && negatives(s) > negatives(f)) continue;
    for (const Polynomial::Term& l : multipliers(s, f)) {
      if (++space_->proof_steps > kSizeLimits.proof_steps) return false;
      if (s.covers(l, f)) return true;
      if (!pairs) continue;
      Polynomial rest = s - f * Polynomial::of(l.monomial, l.factor);
      if (rest.known()) rests.push_back(std::move(rest));
    }
  }
  for (const Polynomial& rest : rests) {
    if (--steps_ < 0) return false;
    for (const Polynomial& f : facts) {
      if (negatives(rest) > negatives(f)) continue;
      for (const Polynomial::Term& l : multipliers(rest, f)) {
        if (++space_->proof_steps > kSizeLimits.proof_steps) return false;
        if (rest.covers(l, f)) return true;
      }
    }
  }
  return false;
}

// Two cores without end: once u = v + d and once v = u + d.
bool SizeRegion::prove_by_order(const Polynomial& p) const {
  const Monomial variables = p.variables();
  const std::size_t most = std::min<std::size_t>(variables.size(), 4);
  for (std::size_t i = 0; i < most; ++i) {
    for (std::size_t j = i + 1; j < most; ++j) {
      const SizeVariable u = variables[i];
      const SizeVariable v = variables[j];
      if (cores_.at(u).high || cores_.at(v).high) continue;
      const auto side = [&](SizeVariable larger, SizeVariable smaller) {
        // `larger` itself is the difference, from 0 on.
        Polynomial q = p.substituted(larger, Polynomial::of(smaller) + Polynomial::of(larger));
        std::map<SizeVariable, Polynomial> lows;
        for (const SizeVariable w : q.variables()) {
          if (w != larger && cores_.at(w).low != 0) lows[w] = Polynomial::of(w) + cores_.at(w).low;
        }
        return q.substituted(lows).has_no_negative();
      };
      if (side(u, v) && side(v, u)) return true;
    }
  }
  return false;
}

// x at its lower end, or above.
bool SizeRegion::prove_by_split(const Polynomial& p, int depth) const {
  const Monomial variables = p.variables();
  for (std::size_t i = 0; i < std::min<std::size_t>(variables.size(), 3); ++i) {
    const SizeVariable v = variables[i];
    const Range range = cores_.at(v);
    if (range.high && *range.high <= range.low) continue;
    if (!prove(p.substituted(v, range.low), 0)) continue;
    SizeRegion above = *this;
    above.forget();
    above.cores_.at(v).low = range.low + 1;
    above.steps_ = steps_;
    const bool yes = above.prove(p, depth - 1);
    steps_ = above.steps_;
    if (yes) return true;
  }
  return false;
}

bool SizeRegion::every(const Monomial& cores, const std::function<bool(const Point&)>& test) const {
  Integer count = 1;
  std::vector<Range> ranges;
  for (const SizeVariable v : cores) {
    const auto found = cores_.find(v);
    if (found == cores_.end() || !found->second.high) return false;
    const Integer extent = *found->second.high - found->second.low + 1;
    if (extent > kSizeLimits.residues) return false;
    count *= extent;
    if (count > kSizeLimits.residues) return false;
    ranges.push_back(found->second);
  }
  Point point{cores, {}};
  for (const Range& range : ranges) point.values.push_back(range.low);
  while (test(point)) {
    std::size_t n = 0;
    for (; n < ranges.size() && point.values[n] == *ranges[n].high; ++n) point.values[n] = ranges[n].low;
    if (n == ranges.size()) return true;
    ++point.values[n];
  }
  return false;
}

std::optional<bool> SizeRegion::common(const Monomial& cores,
                                       const std::function<std::optional<bool>(const Point&)>& test) const {
  std::optional<bool> out;
  const bool same = every(cores, [&](const Point& point) {
    const std::optional<bool> here = test(point);
    if ((here && here == out) || !satisfies_facts(point)) return true;
    const bool first = here && !out;
    out = here;
    return first;
  });
  return same ? out : std::nullopt;
}

bool SizeRegion::satisfies_facts(const Point& point) const {
  // No value if a core is not of the point.
  for (const Polynomial& f : facts_) {
    if (const auto x = f.evaluate(point); x && *x < 0) return false;
  }
  for (const Polynomial& f : nonzero_) {
    if (const auto x = f.evaluate(point); x && *x == 0) return false;
  }
  for (const SizeCondition& c : divisors_) {
    const auto p = c.p.evaluate(point);
    const auto q = c.q.evaluate(point);
    if (!p || !q) continue;
    if (*q < 1 || (floor_mod(*p, *q) == 0) != (c.kind == SizeCondition::Kind::divides)) return false;
  }
  return true;
}

}  // namespace tessera::symbolic
