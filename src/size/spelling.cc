// SPDX-License-Identifier: Apache-2.0
#include "size/spelling.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::symbolic {
namespace {

using Kind = SizeCondition::Kind;

std::string sum_of(const Polynomial& p, const Space& space);

/// A quotient as a factor: `(N/8)`, `ceil_div(N,8)`.
std::string factor_of(SizeVariable v, const Space& space) {
  const VariableInfo& info = space[v];
  switch (info.kind) {
    case VariableInfo::Kind::parameter:
      return info.name;
    case VariableInfo::Kind::core:
      return fmt::format("core{}", static_cast<int>(v));
    case VariableInfo::Kind::minimum: {
      // By text, a number last: how variables are numbered depends on the words before.
      std::string first = sum_of(info.a, space);
      std::string second = sum_of(info.b, space);
      if (info.a.is_constant() || (!info.b.is_constant() && second < first)) std::swap(first, second);
      return fmt::format("min({},{})", first, second);
    }
    case VariableInfo::Kind::quotient:
      break;
  }
  const std::string b = sum_of(info.b, space);
  if (info.ceil) return fmt::format("ceil_div({},{})", sum_of(info.a - info.b + 1, space), b);
  const std::string a = sum_of(info.a, space);
  return fmt::format("({}/{})", a.find(' ') == std::string::npos ? a : "(" + a + ")", bracketed(b));
}

struct Written {
  std::vector<std::string> factors = {};
  std::vector<std::string> below = {};  // of a fraction
  Integer number = 0;                   // the numerator of the coefficient
  Integer over = 1;

  std::string text() const {
    const Integer size = number < 0 ? -number : number;
    std::string out = size != 1 || factors.empty() ? to_string(size) : "";
    for (const std::string& f : factors) out += (out.empty() ? "" : "*") + f;
    std::vector<std::string> divisors = below;
    if (over != 1) divisors.insert(divisors.begin(), to_string(over));
    if (divisors.empty()) return out;
    return fmt::format("{}/{}", out,
                       divisors.size() == 1 ? divisors[0] : fmt::format("({})", fmt::join(divisors, "*")));
  }
};

/// Names before quotients, which have brackets, each by their letters.
bool comes_before(const std::string& a, const std::string& b) {
  const bool x = a.find('(') != std::string::npos;
  const bool y = b.find('(') != std::string::npos;
  return x != y ? y : a < b;
}

std::string joined(std::vector<Written> terms) {
  if (terms.empty()) return "0";
  std::ranges::stable_sort(terms, [](const Written& a, const Written& b) {
    return a.factors.size() != b.factors.size()
               ? a.factors.size() > b.factors.size()
               : std::ranges::lexicographical_compare(a.factors, b.factors, comes_before);
  });
  std::string out;
  for (const Written& t : terms) {
    if (out.empty()) {
      out = (t.number < 0 ? "-" : "") + t.text();
    } else {
      out += (t.number < 0 ? " - " : " + ") + t.text();
    }
  }
  return out;
}

std::string sum_of(const Polynomial& p, const Space& space) {
  if (!p.known()) return "?";
  std::vector<Written> terms;
  for (const Polynomial::Term& t : p.terms()) {
    Written w{.number = t.factor};
    for (const SizeVariable v : t.monomial) w.factors.push_back(factor_of(v, space));
    std::ranges::sort(w.factors, comes_before);
    terms.push_back(std::move(w));
  }
  return joined(std::move(terms));
}

/// The text without the brackets that enclose all of it.
std::string unbracketed(std::string text) {
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') return text;
  int depth = 0;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0) return text;
  }
  return text.substr(1, text.size() - 2);
}

/// A product of powers, also negative ones, of parameters, with a fraction as coefficient.
struct Fraction {
  std::map<SizeVariable, int> powers;
  Integer number = 1;
  Integer over = 1;
};
using Fractions = std::vector<Fraction>;

std::optional<Fraction> times(const Fraction& a, const Fraction& b) {
  Fraction out = a;
  for (const auto& [v, e] : b.powers) {
    if ((out.powers[v] += e) == 0) out.powers.erase(v);
  }
  const auto number = checked_mul(a.number, b.number);
  const auto over = checked_mul(a.over, b.over);
  if (!number || !over) return std::nullopt;
  const Integer g = gcd(*number, *over);
  out.number = *number / g;
  out.over = *over / g;
  return out;
}

/// The sum with equal powers collected.
std::optional<Fractions> collected(const Fractions& terms) {
  Fractions out;
  for (const Fraction& t : terms) {
    const auto same = std::ranges::find_if(out, [&](const Fraction& f) { return f.powers == t.powers; });
    if (same == out.end()) {
      out.push_back(t);
      continue;
    }
    const auto a = checked_mul(same->number, t.over);
    const auto b = checked_mul(t.number, same->over);
    const auto over = checked_mul(same->over, t.over);
    if (!a || !b || !over) return std::nullopt;
    const auto sum = checked_add(*a, *b);
    if (!sum) return std::nullopt;
    const Integer g = gcd(*sum, *over);
    same->number = *sum / g;
    same->over = *over / g;
  }
  std::erase_if(out, [](const Fraction& f) { return f.number == 0; });
  return out;
}

/// A polynomial over cores in terms of parameters, where every core is one fraction of parameters and a sum:
/// N = 8*n makes n = N/8, N = 8*n + 3 makes n = N/8 - 3/8.
class CoresAsFractions {
 public:
  explicit CoresAsFractions(const SizeRegion& region) {
    for (int round = 0; round < 3; ++round) {
      for (const auto& [v, value] : region.values()) {
        if (region.space()[v].kind == VariableInfo::Kind::parameter) solve(v, value);
      }
    }
  }

  std::optional<Fractions> of(const Polynomial& p) const {
    Fractions out;
    for (const Polynomial::Term& t : p.terms()) {
      Fractions product = {Fraction{{}, t.factor, 1}};
      for (const SizeVariable v : t.monomial) {
        const auto found = cores_.find(v);
        if (found == cores_.end()) return std::nullopt;
        Fractions next;
        for (const Fraction& a : product) {
          for (const Fraction& b : found->second) {
            const auto x = times(a, b);
            if (!x || next.size() > 64) return std::nullopt;
            next.push_back(*x);
          }
        }
        product = std::move(next);
      }
      out.insert(out.end(), product.begin(), product.end());
    }
    return collected(out);
  }

 private:
  void solve(SizeVariable parameter, const Polynomial& value) {
    std::vector<SizeVariable> open;
    for (const SizeVariable v : value.variables()) {
      if (!cores_.contains(v)) open.push_back(v);
    }
    if (open.size() != 1 || value.degree(open[0]) != 1) return;
    const std::vector<Polynomial> parts = value.coefficients(open[0]);
    const auto lead = of(parts[1]);
    const auto rest = of(-parts[0]);
    if (!lead || lead->size() != 1 || !rest) return;
    Fraction inverse{{}, (*lead)[0].over, (*lead)[0].number};
    if (inverse.over < 0) {
      inverse.over = -inverse.over;
      inverse.number = -inverse.number;
    }
    for (const auto& [v, e] : (*lead)[0].powers) inverse.powers[v] = -e;
    Fractions sum = *rest;
    sum.push_back({{{parameter, 1}}, 1, 1});
    Fractions out;
    for (const Fraction& f : sum) {
      const auto x = times(f, inverse);
      if (!x) return;
      out.push_back(*x);
    }
    if (const auto value_of_core = collected(out)) cores_[open[0]] = *value_of_core;
  }

  std::map<SizeVariable, Fractions> cores_;
};

std::string text_of(const Fractions& fractions, const Space& space) {
  std::vector<Written> terms;
  for (const Fraction& f : fractions) {
    Written w{.number = f.number, .over = f.over};
    for (const auto& [v, e] : f.powers) {
      for (int i = 0; i < (e < 0 ? -e : e); ++i) (e < 0 ? w.below : w.factors).push_back(space[v].name);
    }
    std::ranges::sort(w.factors);
    std::ranges::sort(w.below);
    terms.push_back(std::move(w));
  }
  return joined(std::move(terms));
}

}  // namespace

std::string bracketed(const std::string& text) {
  return text.find_first_of(" */") == std::string::npos || unbracketed(text) != text ? text
                                                                                     : "(" + text + ")";
}

std::string compact(std::string text) {
  std::erase(text, ' ');
  return text;
}

std::string spelled(const Polynomial& p, const Space& space) { return unbracketed(sum_of(p, space)); }

namespace {

/// The polynomial with numbers for the parameters that have one value.
Polynomial with_single_values(const Polynomial& p, const SizeRegion& region) {
  Space& space = region.space();
  std::map<SizeVariable, Polynomial> values;
  for (const SizeVariable v : p.variables()) {
    const auto declared = region.declared().find(v);
    if (declared != region.declared().end() && declared->second.high == declared->second.low)
      values[v] = Polynomial(declared->second.low);
    if (!space.is_derived(v)) continue;
    const VariableInfo info = space[v];
    const Polynomial a = with_single_values(info.a, region);
    const Polynomial b = with_single_values(info.b, region);
    if (a == info.a && b == info.b) continue;
    values[v] = info.kind == VariableInfo::Kind::minimum ? space.minimum(a, b) : space.quotient(a, b);
  }
  if (values.empty()) return p;
  const Polynomial out = p.substituted(values);
  return out.known() ? out : p;
}

}  // namespace

std::string spelled(const Polynomial& given, const SizeRegion& region) {
  const Space& space = region.space();
  const Polynomial p = with_single_values(given, region);
  if (!space.has_derived(p)) return spelled(p, space);
  SizeRegion settled = region;
  if (!settled.settle(p).ok()) return spelled(p, space);
  const Polynomial value = settled.core(p);
  const auto fractions = value.known() ? CoresAsFractions(settled).of(value) : std::nullopt;
  // A sum of several fractions is a number only as a whole: (N - 3)/8 is not N/8 - 3/8.
  const bool whole =
      fractions && (fractions->size() <= 1 || std::ranges::all_of(*fractions, [](const Fraction& f) {
                      return f.over == 1 &&
                             std::ranges::all_of(f.powers, [](const auto& x) { return x.second > 0; });
                    }));
  return whole ? text_of(*fractions, space) : spelled(p, space);
}

std::string spelled(const SizeCondition& c, const Space& space) {
  const auto text = [&](const Polynomial& p) { return sum_of(p, space); };
  if (c.about_divisors()) {
    return fmt::format("{} % {} {} 0", bracketed(text(c.p)), bracketed(text(c.q)),
                       c.kind == Kind::divides ? "==" : "!=");
  }
  Polynomial above;
  Polynomial below;
  for (const Polynomial::Term& t : c.p.terms()) {
    if (t.monomial.empty()) continue;
    if (t.factor > 0) {
      above = above + Polynomial::of(t.monomial, t.factor);
    } else {
      below = below + Polynomial::of(t.monomial, -t.factor);
    }
  }
  const Integer number = c.p.constant();
  if (c.kind == Kind::nonnegative) {  // above + number >= below
    if (below.is_zero()) return fmt::format("{} >= {}", text(above), to_string(-number));
    if (above.is_zero()) return fmt::format("{} <= {}", text(below), to_string(number));
    if (number == -1) return fmt::format("{} > {}", text(above), text(below));
    return number >= 0 ? fmt::format("{} >= {}", text(above + number), text(below))
                       : fmt::format("{} >= {}", text(above), text(below - number));
  }
  const std::string_view relation = c.kind == Kind::zero ? "==" : "!=";
  if (below.is_zero()) return fmt::format("{} {} {}", text(above), relation, to_string(-number));
  if (above.is_zero()) return fmt::format("{} {} {}", text(below), relation, to_string(number));
  return number > 0 ? fmt::format("{} {} {}", text(above + number), relation, text(below))
                    : fmt::format("{} {} {}", text(above), relation, text(below - number));
}

std::string spelled(const std::vector<SizeCondition>& conditions, const Space& space) {
  std::vector<std::string> texts;
  texts.reserve(conditions.size());
  for (const SizeCondition& c : conditions) texts.push_back(spelled(c, space));
  return fmt::format("{}", fmt::join(texts, " and "));
}

std::string canonical(const SizeTerm& term) {
  Space space;
  std::vector<Polynomial> divisors;
  return spelled(polynomial(term, space, divisors), space);
}

}  // namespace tessera::symbolic
