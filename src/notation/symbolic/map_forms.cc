// SPDX-License-Identifier: Apache-2.0
#include "notation/symbolic/map_forms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "notation/limits.h"
#include "notation/symbolic/map_terms.h"
#include "size/join.h"

namespace tessera::symbolic {
namespace {

constexpr std::int64_t kHeaviest = 2000;

}  // namespace

Leaf MapForms::failure() const {
  if (!outside_.empty()) return {.kind = Leaf::Kind::outside, .reason = outside_};
  return {.kind = Leaf::Kind::undecided, .reason = undecided_};
}

Polynomial MapForms::fail_undecided(std::string why) {
  if (!failed()) undecided_ = std::move(why);
  return Polynomial::unknown();
}

Polynomial MapForms::fail_outside(std::string why) {
  if (!failed()) outside_ = std::move(why);
  return Polynomial::unknown();
}

const MapForms::Atom* MapForms::atom_of(SizeVariable v) const {
  const auto found = std::ranges::find(atoms_, v, &Atom::variable);
  return found == atoms_.end() ? nullptr : &*found;
}

bool MapForms::is_of_sizes(const Polynomial& form) const {
  return std::ranges::all_of(form.variables(), [&](SizeVariable v) {
    if (std::ranges::find(dims_, v, &Dim::variable) != dims_.end()) return false;
    const Atom* const atom = atom_of(v);
    return atom == nullptr || (is_of_sizes(atom->a) && is_of_sizes(atom->b));
  });
}

void MapForms::add(const SizeCondition& c, bool of_sizes) {
  // A condition that is left out leaves more elements.
  if (auto less = under(points_, {c})) points_ = *std::move(less);
  if (!of_sizes) return;
  if (auto less = under(sizes_, {c})) sizes_ = *std::move(less);
}

void MapForms::declare(const std::string& name, const Polynomial& low, const Polynomial& high) {
  const SizeVariable v = run_.space().parameter(name);
  const Polynomial x = Polynomial::of(v);
  names_.push_back(name);
  if (low.is_constant()) {
    points_.declare(v, {low.constant(), high.is_constant() && high.constant() >= low.constant()
                                            ? std::optional(high.constant())
                                            : std::nullopt});
  } else {
    if (!proves(low)) fail_undecided(fmt::format("the lower end of {} may be below 0", name));
    points_.declare(v, {0, {}});
    add(at_least(x, low), false);
  }
  if (!high.is_constant()) add(at_least(high, x), false);
  dims_.push_back({name, v, low, high});
}

void MapForms::assume(const Polynomial& form) { add(at_least(form, 0), false); }

bool MapForms::proves(const Polynomial& form) const {
  if (!form.known()) return false;
  if (points_.proves(at_least(form, 0))) return true;
  // floor(a / b) <= h iff a <= b*h + b - 1, and floor(a / b) >= l iff a >= b*l.
  for (auto atom = atoms_.rbegin(); atom != atoms_.rend(); ++atom) {
    if (form.degree(atom->variable) != 1) continue;
    const std::vector<Polynomial> parts = form.coefficients(atom->variable);
    const bool above = parts[1] == Polynomial(1);
    if (!above && !(parts[1] == Polynomial(-1))) continue;
    const Polynomial end = above ? -parts[0] - atom->shift : parts[0] - atom->shift;
    if (atom->minimum) {
      const auto inside = [&](const Polynomial& x) { return proves_once(above ? x - end : end - x); };
      if (above ? inside(atom->a) && inside(atom->b) : inside(atom->a) || inside(atom->b)) return true;
    } else if (proves_once(above ? atom->a - atom->b * end : atom->b * end + atom->b - 1 - atom->a)) {
      return true;
    }
  }
  return false;
}

bool MapForms::proves_once(const Polynomial& form) const {
  return form.known() && points_.proves(at_least(form, 0));
}

bool MapForms::holds(const Polynomial& form) {
  if (!form.known()) {
    fail_undecided("a number is too large");
    return false;
  }
  const SizeCondition c = at_least(form, 0);
  if (sizes_.proves(c)) return true;
  if (sizes_.refutes(c)) return false;
  const bool outcome = run_.decide(at_least(displayed(form), 0));
  add(outcome ? c : c.negated(), true);
  return outcome;
}

bool MapForms::divides(const Polynomial& q, const Polynomial& p) const {
  if (p.is_zero() || p.exact_quotient(q)) return true;
  return points_.proves(symbolic::divides(q, p));
}

std::optional<Polynomial> MapForms::lower_bound(const Polynomial& form) const {
  Polynomial out = form;
  for (auto dim = dims_.rbegin(); dim != dims_.rend(); ++dim) {
    const SizeVariable v = dim->variable;
    if (!out.has(v)) continue;
    if (out.degree(v) != 1) return std::nullopt;
    const Polynomial factor = out.coefficients(v)[1];
    if (proves(factor)) {
      out = out.substituted(v, dim->low);
    } else if (proves(-factor)) {
      out = out.substituted(v, dim->high);
    } else {
      return std::nullopt;
    }
  }
  for (const SizeVariable v : out.variables()) {
    const Atom* const atom = atom_of(v);
    if (atom == nullptr || (is_of_sizes(atom->a) && is_of_sizes(atom->b))) continue;
    if (out.degree(v) != 1) return std::nullopt;
    if (proves(out.coefficients(v)[1])) {
      out = out.substituted(v, 0);
    } else {
      return std::nullopt;
    }
  }
  return out.known() && is_of_sizes(out) ? std::optional(out) : std::nullopt;
}

Polynomial MapForms::new_atom(bool minimum, const Polynomial& a, const Polynomial& b) {
  for (const Atom& known : atoms_) {
    if (known.minimum == minimum && known.a == a && known.b == b)
      return Polynomial::of(known.variable) - known.shift;
  }
  if (atoms_.size() >= detail::kNotationLimits.symbolic.atoms)
    return fail_undecided("the map has too many quotients");
  Polynomial shift = 0;
  const auto at_least_0 = [&](const Polynomial& x) { return proves(x); };
  if (!at_least_0(a) || (minimum && !at_least_0(b))) {
    for (const Polynomial* x : {&a, &b}) {
      if ((x == &b && !minimum) || at_least_0(*x)) continue;
      const auto low = lower_bound(*x);
      if (!low || !proves(-*low))
        return fail_undecided(
            fmt::format("the sign of {} is not known for all sizes and indices", in_map(term(*x))));
      shift = shift - *low;
    }
  }
  const bool of_sizes = is_of_sizes(a) && is_of_sizes(b);
  // Texts grow with the quotients inside quotients.
  std::int64_t weight = 1;
  for (const Polynomial* x : {&a, &b, static_cast<const Polynomial*>(&shift)}) {
    for (const Polynomial::Term& t : x->terms()) {
      for (const SizeVariable v : t.monomial) {
        const Atom* const inner = atom_of(v);
        weight += inner == nullptr ? 1 : inner->weight;
      }
    }
  }
  if (weight > kHeaviest) return fail_undecided("the map has too many quotients in quotients");
  // The name is never printed; it belongs to this run.
  const SizeVariable v = run_.space().parameter(fmt::format("\x7f{}", atoms_.size()));
  const Polynomial q = Polynomial::of(v);
  Space& space = run_.space();
  const Polynomial shown =
      minimum ? space.minimum(displayed(a), displayed(b)) : space.quotient(displayed(a), displayed(b));
  if (!shown.known()) return fail_undecided("a number is too large");
  const bool exact = !minimum && divides(b, a);
  atoms_.push_back({v, minimum, exact, a, b, shift, shown + displayed(shift), weight});
  points_.declare(v, {0, {}});
  if (of_sizes) sizes_.declare(v, {0, {}});
  const Polynomial value = q - shift;
  if (minimum) {
    add(at_least(a, value), of_sizes);
    add(at_least(b, value), of_sizes);
  } else if (exact) {
    add({SizeCondition::Kind::zero, a - b * value, {}}, of_sizes);
  } else {
    add(at_least(a, b * value), of_sizes);
    add(at_least(b * value + b - 1, a), of_sizes);
  }
  return value;
}

bool MapForms::settles_divisor(const Polynomial& b) {
  if (failed() || !b.known()) return false;
  if (proves(b - 1)) return true;
  if (!is_of_sizes(b)) {
    fail_undecided(
        fmt::format("whether the divisor {} is at least 1 is not known for all indices", in_map(term(b))));
    return false;
  }
  if (holds(b - 1)) return true;
  fail_outside("a divisor is below 1");
  return false;
}

std::optional<Polynomial> MapForms::between(const Polynomial& a, const Polynomial& b) const {
  for (const int by : {0, -1, 1}) {
    const Polynomial r = a - b * Integer{by};
    const bool below = by == 0 ? proves(r) && proves(b - 1 - r) : proves_once(r) && proves_once(b - 1 - r);
    if (below) return Polynomial(by);
  }
  return std::nullopt;
}

void MapForms::take_whole_multiples(Polynomial& num, const Polynomial& den, Polynomial& out) {
  const auto leave = [&](const Polynomial& multiple) {
    out = out + multiple;
    num = num - multiple * den;
  };
  if (den.is_constant()) {
    Polynomial whole;
    for (const Polynomial::Term& t : num.terms()) {
      if (t.monomial.empty() || t.factor % den.constant() == 0)
        whole = whole + Polynomial::of(t.monomial, floor_div(t.factor, den.constant()));
    }
    leave(whole);
  } else {
    leave(num.divide(den).quotient);
  }
  if (!num.known() || !is_of_sizes(den)) return;
  // Terms of one product of variables, whose factor is a multiple for all sizes.
  std::map<Monomial, Polynomial> groups;
  for (const Polynomial::Term& t : num.terms()) {
    Monomial of_dims;
    Monomial of_sizes;
    for (const SizeVariable v : t.monomial) (is_of_sizes(Polynomial::of(v)) ? of_sizes : of_dims) += v;
    if (t.monomial.empty()) continue;
    groups[of_dims] = groups[of_dims] + Polynomial::of(of_sizes, t.factor);
  }
  for (const auto& [of_dims, factor] : groups) {
    if (factor.is_constant() || !divides(den, factor)) continue;
    // The quotient is exact, so these terms leave as they are written.
    const Polynomial monomial = Polynomial::of(of_dims, 1);
    const bool negative = factor.terms()[0].factor < 0;
    const Polynomial exact = new_atom(false, negative ? -factor : factor, den) * monomial;
    out = negative ? out - exact : out + exact;
    num = num - factor * monomial;
  }
}

std::optional<Polynomial> MapForms::common_factor(const Polynomial& num, const Polynomial& den) const {
  std::set<Integer> numbers = {1};
  const Integer content = den.content();
  for (const Polynomial::Term& t : num.terms()) numbers.insert(gcd(content, t.factor));
  std::set<Monomial> monomials = {Monomial()};
  if (den.terms().size() == 1 && den.degree() <= 6) {
    for (const SizeVariable v : den.terms()[0].monomial) {
      const std::set<Monomial> before = monomials;
      for (Monomial m : before) {
        m += v;
        std::ranges::sort(m);
        monomials.insert(std::move(m));
      }
    }
  }
  for (const Monomial& m : monomials) {
    for (const Integer number : numbers) {
      if (number == 1 && m.empty()) continue;
      const Polynomial g = Polynomial::of(m, number);
      Polynomial below;
      for (const Polynomial::Term& t : num.terms()) {
        const Polynomial one = Polynomial::of(t.monomial, t.factor);
        if (!one.exact_quotient(g)) below = below + one;
      }
      if (below == num) continue;
      if (proves_once(g - 1) && proves_once(below) && proves_once(g - 1 - below)) return g;
    }
  }
  return std::nullopt;
}

Polynomial MapForms::quotient(const Polynomial& a, const Polynomial& b) {
  if (!a.known() || !b.known() || !settles_divisor(b)) return Polynomial::unknown();
  Polynomial num = expanded(a);
  Polynomial den = expanded(b);
  Polynomial out;
  for (int round = 0; round < detail::kNotationLimits.symbolic.quotient_rounds; ++round) {
    if (!num.known() || !den.known() || failed()) return fail_undecided("a number is too large");
    if (const auto whole = num.exact_quotient(den)) return out + *whole;
    if (const auto whole = between(num, den)) return out + *whole;
    take_whole_multiples(num, den, out);
    if (!num.known() || failed()) return fail_undecided("a number is too large");
    if (num.is_zero()) return out;
    if (const auto whole = between(num, den)) return out + *whole;
    const auto g = common_factor(num, den);
    if (!g) break;
    Polynomial multiple;
    for (const Polynomial::Term& t : num.terms()) {
      if (const auto x = Polynomial::of(t.monomial, t.factor).exact_quotient(*g)) multiple = multiple + *x;
    }
    num = multiple;
    den = *den.exact_quotient(*g);
  }
  // floor((floor(x / m) + y) / n) = floor((x + m*y) / (m*n))
  for (const Atom& atom : atoms_) {
    // An exact quotient would be written as a multiple again.
    if (atom.minimum || atom.exact || num.degree(atom.variable) != 1) continue;
    const std::vector<Polynomial> parts = num.coefficients(atom.variable);
    const auto plain = [&](const Polynomial& p) {
      return std::ranges::none_of(atoms_, [&](const Atom& x) { return p.has(x.variable); });
    };
    if (!(parts[1] == Polynomial(1)) || !plain(parts[0]) || !plain(den)) continue;
    constexpr int deepest = 32;
    if (nested_ >= deepest) return fail_undecided("quotients are nested too deeply");
    const Atom inner = atom;
    ++nested_;
    const Polynomial whole = quotient(inner.a + inner.b * (parts[0] + inner.shift), inner.b * den);
    --nested_;
    return out + whole;
  }
  return out + new_atom(false, num, den);
}

Polynomial MapForms::minimum(const Polynomial& a, const Polynomial& b) {
  if (!a.known() || !b.known() || failed()) return Polynomial::unknown();
  if (proves(b - a)) return a;
  if (proves(a - b)) return b;
  return a < b ? new_atom(true, a, b) : new_atom(true, b, a);
}

Polynomial MapForms::of(const SizeTerm& term) {
  using Kind = SizeTerm::Kind;
  if (failed()) return Polynomial::unknown();
  if (term.is_number()) return term.number;
  if (term.kind == Kind::name) return Polynomial::of(run_.space().parameter(term.name));
  const Polynomial a = of(term.parts[0]);
  if (term.kind == Kind::negative) return -a;
  const Polynomial b = of(term.parts[1]);
  if (failed()) return Polynomial::unknown();
  Polynomial out;
  switch (term.kind) {
    case Kind::plus:
      out = a + b;
      break;
    case Kind::minus:
      out = a - b;
      break;
    case Kind::times:
      if (a.terms().size() * b.terms().size() > detail::kNotationLimits.symbolic.terms)
        return fail_undecided("a term is too long");
      out = a * b;
      break;
    case Kind::over:
      out = quotient(a, b);
      break;
    case Kind::modulo:
      out = a - b * quotient(a, b);
      break;
    case Kind::ceil_over:
      out = quotient(a + b - 1, b);
      break;
    case Kind::minimum:
      out = minimum(a, b);
      break;
    case Kind::maximum:
      out = maximum(a, b);
      break;
    default:
      break;
  }
  out = expanded(out);
  if (!out.known()) return fail_undecided("a number is too large");
  if (out.terms().size() > detail::kNotationLimits.symbolic.terms)
    return fail_undecided("a term is too long");
  return out;
}

Polynomial MapForms::reduced(const Polynomial& given) const {
  Polynomial form = given;
  for (auto atom = atoms_.rbegin(); atom != atoms_.rend() && form.known(); ++atom) {
    if (!atom->exact || form.degree(atom->variable) != 1) continue;
    const Polynomial multiple = form.coefficients(atom->variable)[1].divide(atom->b, true).quotient;
    const Polynomial less =
        form - multiple * (atom->b * (Polynomial::of(atom->variable) - atom->shift) - atom->a);
    if (less.known()) form = less;
  }
  return form;
}

Polynomial MapForms::expanded(const Polynomial& given) const {
  Polynomial form = given;
  for (const Atom& atom : atoms_) {
    if (!atom.exact || atom.a.terms().size() != 1 || atom.a.degree() != 1) continue;
    const SizeVariable name = atom.a.terms()[0].monomial[0];
    if (!(atom.a == Polynomial::of(name)) || !form.has(name) || atom.b.has(name)) continue;
    const Polynomial more = form.substituted(name, atom.b * (Polynomial::of(atom.variable) - atom.shift));
    if (more.known()) form = more;
  }
  return form;
}

bool MapForms::proves_by_ends(const Polynomial& form) const {
  if (proves(form)) return true;
  const auto low = lower_bound(form);
  return low && proves_once(*low);
}

Polynomial MapForms::displayed(const Polynomial& given) const {
  const Polynomial form = reduced(given);
  std::map<SizeVariable, Polynomial> shown;
  for (const SizeVariable v : form.variables()) {
    if (const Atom* const atom = atom_of(v)) shown[v] = atom->shown;
  }
  return shown.empty() ? form : form.substituted(shown);
}

SizeTerm MapForms::term(const Polynomial& form) const {
  return term_of(displayed(form), run_.space(), names_);
}

namespace {

/// The term of a form, unless the term as it was written is shorter and divides as rarely.
SizeTerm shorter(const SizeTerm& written, const Polynomial& form, const MapForms& forms) {
  SizeTerm term = forms.term(form);
  const bool of_sizes = forms.is_of_sizes(form);
  const TermCost before = of_sizes ? cost_of(written) : cost_of(written, forms.names());
  const TermCost after = of_sizes ? cost_of(term) : cost_of(term, forms.names());
  return after.operators > before.operators && after.divisions >= before.divisions ? written : term;
}

}  // namespace

std::vector<SizedInterval> declare_domain(const SymbolicMap& map, MapForms& forms) {
  std::vector<SizedInterval> out;
  for (std::size_t i = 0; i < map.domain().size() && !forms.failed(); ++i) {
    const SizedInterval& given = map.domain()[i];
    const Polynomial low = forms.of(given.low);
    const Polynomial high = forms.of(given.high);
    if (forms.failed()) break;
    SizedInterval one{given.value, shorter(given.low, low, forms), shorter(given.high, high, forms)};
    if (i < map.dims().size()) {
      forms.declare(map.dims()[i], low, high);
    } else {
      const Polynomial value = forms.of(given.value);
      if (forms.failed()) break;
      one.value = shorter(given.value, value, forms);
      if (forms.proves(value - low) && forms.proves(high - value)) continue;
      forms.assume(value - low);
      forms.assume(high - value);
    }
    out.push_back(std::move(one));
  }
  return out;
}

SymbolicMap simplified(const SymbolicMap& map, MapForms& forms) {
  std::vector<SizedInterval> domain = declare_domain(map, forms);
  std::vector<SizeTerm> results;
  for (const SizeTerm& t : map.results()) {
    const Polynomial form = forms.of(t);
    if (forms.failed()) return map;
    results.push_back(shorter(t, form, forms));
  }
  return SymbolicMap::make(map.dims(), std::move(domain), std::move(results), map.where());
}

Leaf simplified_leaf(const SymbolicMap& map, Recorder& run) {
  MapForms forms(run);
  const SymbolicMap out = simplified(map, forms);
  if (forms.failed()) return forms.failure();
  return {.frame = map_text(out)};
}

std::string map_text(const SymbolicMap& map) {
  std::vector<std::string> intervals;
  std::vector<std::string> results;
  for (const SizedInterval& i : map.domain())
    intervals.push_back(fmt::format("{} in [{}, {}]", in_map(i.value), in_map(i.low), in_map(i.high)));
  for (const SizeTerm& t : map.results()) results.push_back(in_map(t));
  return fmt::format("({}) -> ({}){}{}", fmt::join(map.dims(), ", "), fmt::join(results, ", "),
                     intervals.empty() ? "" : ", domain: ", fmt::join(intervals, ", "));
}

}  // namespace tessera::symbolic
