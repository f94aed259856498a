// SPDX-License-Identifier: Apache-2.0
#include "notation/symbolic/map_terms.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::symbolic {
namespace {

using Kind = SizeTerm::Kind;

bool is_sum(const SizeTerm& t) { return t.kind == Kind::plus || t.kind == Kind::minus; }
bool is_atom(const SizeTerm& t) {
  return (t.is_number() && t.number >= 0) || t.kind == Kind::name || t.kind == Kind::minimum ||
         t.kind == Kind::maximum;
}

std::string in_brackets(const SizeTerm& t) { return is_atom(t) ? in_map(t) : "(" + in_map(t) + ")"; }

/// A part of a sum or of a term: what it is multiplied by, and what says where it is.
struct Part {
  SizeTerm term;  ///< without its sign
  bool negative = false;
  std::size_t first = 0;  ///< the first variable of the map that it has
  std::size_t degree = 0;
  std::string text = {};
};

class Spelling {
 public:
  Spelling(const Space& space, const std::vector<std::string>& dims) : space_(space), dims_(dims) {}

  SizeTerm sum(Polynomial p) const {
    std::vector<Part> parts;
    take_remainders(p, parts);
    for (const Polynomial::Term& t : p.terms()) parts.push_back(product(t, {}));
    if (parts.empty()) return SizeTerm::of(0);
    std::ranges::stable_sort(parts, [](const Part& a, const Part& b) {
      if (a.first != b.first) return a.first < b.first;
      return a.degree != b.degree ? a.degree > b.degree : a.text < b.text;
    });
    SizeTerm out;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      Part& part = parts[i];
      if (i > 0) {
        out = combined(part.negative ? Kind::minus : Kind::plus, std::move(out), std::move(part.term));
      } else if (part.negative && part.term.is_number()) {
        out = SizeTerm::of(-part.term.number);
      } else if (part.negative) {
        out.kind = Kind::negative;
        out.parts = {std::move(part.term)};
      } else {
        out = std::move(part.term);
      }
    }
    return out;
  }

 private:
  /// c*a - c*b*floor(a / b) is a remainder, where that leaves fewer terms.
  void take_remainders(Polynomial& p, std::vector<Part>& parts) const {
    const Monomial all = p.variables();
    for (auto v = all.rbegin(); v != all.rend(); ++v) {
      const VariableInfo& info = space_[*v];
      if (info.kind != VariableInfo::Kind::quotient || p.degree(*v) != 1) continue;
      if (take_middle_digit(p, *v, parts)) continue;
      const auto factor = (-p.coefficients(*v)[1]).exact_quotient(info.b);
      if (!factor || factor->is_zero()) continue;
      const Polynomial rest = p - *factor * (info.a - info.b * Polynomial::of(*v));
      if (!rest.known() || rest.terms().size() >= p.terms().size()) continue;
      SizeTerm remainder = combined(Kind::modulo, sum(info.a), sum(info.b));
      p = rest;
      if (factor->terms().size() == 1) {
        parts.push_back(product(factor->terms()[0], &remainder));
        continue;
      }
      Part part{.term = combined(Kind::times, std::move(remainder), sum(*factor))};
      place(part);
      parts.push_back(std::move(part));
    }
  }

  /// c*floor(a / b) - c*k*floor(a / (b*k)) is c * (floor(a / b) mod k).
  bool take_middle_digit(Polynomial& p, SizeVariable high, std::vector<Part>& parts) const {
    const VariableInfo& above = space_[high];
    for (const SizeVariable low : p.variables()) {
      const VariableInfo& below = space_[low];
      if (low == high || below.kind != VariableInfo::Kind::quotient || !(below.a == above.a)) continue;
      if (p.degree(low) != 1) continue;
      const auto k = above.b.exact_quotient(below.b);
      const Polynomial factor = p.coefficients(low)[1];
      if (!k || factor.terms().size() != 1 || !(p.coefficients(high)[1] == -factor * *k)) continue;
      const SizeTerm digit = combined(Kind::modulo, this->factor(low), sum(*k));
      p = p - factor * (Polynomial::of(low) - *k * Polynomial::of(high));
      parts.push_back(product(factor.terms()[0], &digit));
      return true;
    }
    return false;
  }

  std::size_t first_dim(const SizeTerm& t) const {
    std::vector<std::string> names;
    add_names(t, names);
    std::size_t out = dims_.size();
    for (const std::string& n : names)
      out = std::min(out, static_cast<std::size_t>(std::ranges::find(dims_, n) - dims_.begin()));
    return out;
  }
  void place(Part& part) const {
    part.first = first_dim(part.term);
    part.text = in_map(part.term);
  }

  Part product(const Polynomial::Term& t, const SizeTerm* leading) const {
    struct Factor {
      std::size_t first;
      SizeTerm term;
      std::string text;
    };
    std::vector<Factor> factors;
    for (const SizeVariable v : t.monomial) {
      SizeTerm one = factor(v);
      const std::size_t first = first_dim(one);
      std::string text = in_map(one);
      factors.push_back({first, std::move(one), std::move(text)});
    }
    if (leading != nullptr) factors.push_back({first_dim(*leading), *leading, in_map(*leading)});
    std::ranges::stable_sort(factors, [](const Factor& a, const Factor& b) {
      return a.first != b.first ? a.first < b.first : a.text < b.text;
    });
    const Integer size = t.factor < 0 ? -t.factor : t.factor;
    Part out{.term = {}, .negative = t.factor < 0, .degree = factors.size()};
    bool empty = true;
    const auto multiply = [&](SizeTerm by) {
      out.term = empty ? std::move(by) : combined(Kind::times, std::move(out.term), std::move(by));
      empty = false;
    };
    bool numbered = size == 1 && !factors.empty();
    for (Factor& f : factors) {
      if (!numbered && f.first == dims_.size()) {
        multiply(SizeTerm::of(size));
        numbered = true;
      }
      multiply(std::move(f.term));
    }
    if (!numbered) multiply(SizeTerm::of(size));
    place(out);
    return out;
  }

  SizeTerm factor(SizeVariable v) const {
    const VariableInfo& info = space_[v];
    switch (info.kind) {
      case VariableInfo::Kind::parameter:
      case VariableInfo::Kind::core:
        return named(info.name);
      case VariableInfo::Kind::minimum:
        return combined(Kind::minimum, sum(info.a), sum(info.b));
      case VariableInfo::Kind::quotient:
        break;
    }
    return info.ceil ? combined(Kind::ceil_over, sum(info.a - info.b + 1), sum(info.b))
                     : combined(Kind::over, sum(info.a), sum(info.b));
  }

  const Space& space_;
  const std::vector<std::string>& dims_;
};

}  // namespace

SizeTerm named(std::string name) {
  SizeTerm out;
  out.kind = Kind::name;
  out.name = std::move(name);
  return out;
}

SizeTerm combined(Kind kind, SizeTerm a, SizeTerm b) {
  SizeTerm out;
  out.kind = kind;
  out.parts.push_back(std::move(a));
  out.parts.push_back(std::move(b));
  return out;
}

std::string in_map(const SizeTerm& t) {
  const auto text = [&](std::size_t i) { return in_map(t.parts[i]); };
  switch (t.kind) {
    case Kind::number:
      return to_string(t.number);
    case Kind::name:
      return t.name;
    case Kind::negative:
      // `-x / 8` is (-x) / 8.
      return "-" + (t.parts[0].kind == Kind::times ? text(0) : in_brackets(t.parts[0]));
    case Kind::plus:
      if (t.parts[1].is_number() && t.parts[1].number < 0)
        return text(0) + " - " + to_string(-t.parts[1].number);
      return text(0) + " + " + (t.parts[1].kind == Kind::negative ? in_brackets(t.parts[1]) : text(1));
    case Kind::minus:
      if (t.parts[1].is_number() && t.parts[1].number < 0)
        return text(0) + " + " + to_string(-t.parts[1].number);
      return text(0) + " - " +
             (is_sum(t.parts[1]) || t.parts[1].kind == Kind::negative ? in_brackets(t.parts[1]) : text(1));
    case Kind::times:
      return (t.parts[0].kind == Kind::times ? text(0) : in_brackets(t.parts[0])) + " * " +
             in_brackets(t.parts[1]);
    case Kind::over:
      return in_brackets(t.parts[0]) + " / " + in_brackets(t.parts[1]);
    case Kind::modulo:
      return in_brackets(t.parts[0]) + " mod " + in_brackets(t.parts[1]);
    case Kind::ceil_over:
      return in_brackets(t.parts[0]) + " ceildiv " + in_brackets(t.parts[1]);
    case Kind::minimum:
      return "min(" + text(0) + ", " + text(1) + ")";
    case Kind::maximum:
      return "max(" + text(0) + ", " + text(1) + ")";
  }
  return {};
}

SizeTerm with_numbers(const SizeTerm& term, const Sizes& sizes) {
  if (const auto value = evaluate(term, sizes)) return SizeTerm::of(*value);
  SizeTerm out = term;
  for (SizeTerm& part : out.parts) part = with_numbers(part, sizes);
  return out;
}

SizeTerm replaced(const SizeTerm& term, const std::map<std::string, SizeTerm>& names) {
  if (term.kind == Kind::name) {
    const auto found = names.find(term.name);
    return found == names.end() ? term : found->second;
  }
  SizeTerm out = term;
  for (SizeTerm& part : out.parts) part = replaced(part, names);
  return out;
}

SizeTerm term_of(const Polynomial& p, const Space& space, const std::vector<std::string>& dims) {
  return Spelling(space, dims).sum(p);
}

TermCost cost_of(const SizeTerm& term, const std::vector<std::string>& dims) {
  std::vector<std::string> names;
  add_names(term, names);
  const bool has_dim = std::ranges::any_of(
      names, [&](const std::string& n) { return std::ranges::find(dims, n) != dims.end(); });
  if (!has_dim) return {};
  TermCost out;
  if (!term.parts.empty()) out.operators = 1;
  if (term.kind == Kind::over || term.kind == Kind::modulo || term.kind == Kind::ceil_over) out.divisions = 1;
  for (const SizeTerm& part : term.parts) {
    const TermCost own = cost_of(part, dims);
    out.operators += own.operators;
    out.divisions += own.divisions;
  }
  return out;
}

TermCost cost_of(const SizeTerm& term) {
  TermCost out;
  if (!term.parts.empty()) out.operators = 1;
  if (term.kind == Kind::over || term.kind == Kind::modulo || term.kind == Kind::ceil_over) out.divisions = 1;
  for (const SizeTerm& part : term.parts) {
    const TermCost own = cost_of(part);
    out.operators += own.operators;
    out.divisions += own.divisions;
  }
  return out;
}

}  // namespace tessera::symbolic
