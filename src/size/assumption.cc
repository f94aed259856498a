// SPDX-License-Identifier: Apache-2.0
#include "size/assumption.h"

#include <fmt/format.h>

#include <algorithm>

#include "size/limits.h"
#include "size/spelling.h"

namespace tessera::symbolic {
namespace {

using TermKind = SizeTerm::Kind;
using ItemKind = Assumption::Kind;

constexpr std::pair<std::string_view, Relation> kRelations[] = {
    {"==", Relation::equal}, {"!=", Relation::unequal}, {"<=", Relation::at_most}, {">=", Relation::at_least},
    {"<", Relation::less},   {">", Relation::greater},  {"=", Relation::equal}};

std::optional<Relation> accept_relation(TermReader& reader) {
  for (const auto& [word, relation] : kRelations) {
    if (reader.accept(word)) return relation;
  }
  return std::nullopt;
}

/// The number that a term without names is.
std::optional<Integer> number_of(const SizeTerm& term) { return evaluate(term, {}); }

Result<Assumption> interval(TermReader& reader, const SizeTerm& name) {
  Assumption out{.kind = ItemKind::interval, .name = name.name, .span = name.span};
  if (!reader.accept("[")) return reader.expected("'[' and an interval, as in N in [1, 64]");
  Result<SizeTerm> low = reader.term();
  if (!low) return fail(low.error());
  if (!reader.accept(",")) return reader.expected("','");
  Result<SizeTerm> high = reader.term();
  if (!high) return fail(high.error());
  if (!reader.at("]")) return reader.expected("']'");
  out.span.end = reader.span().end;
  for (const SizeTerm* term : {&*low, &*high}) {
    constexpr Integer largest = (Integer{1} << 63) - 1;
    const std::optional<Integer> end = number_of(*term);
    if (end && (*end > largest || *end < -largest))
      return fail(Code::number_range, fmt::format("{} does not fit in 63 bits", to_string(*end)), out.span);
  }
  reader.accept("]");
  out.left = *std::move(low);
  out.right = *std::move(high);
  return out;
}

Result<void> checked(const Assumption& a) {
  const bool remainder = a.left.kind == TermKind::modulo;
  if (!remainder) return {};
  if (a.relation != Relation::equal && a.relation != Relation::unequal)
    return fail(Code::syntax, "a remainder is compared with == or != in an assumption", a.span,
                "write N % 8 == 0, N % 8 != 0, or an interval for N");
  const std::optional<Integer> divisor = number_of(a.left.parts[1]);
  if (a.left.parts[1].is_number() && (!divisor || *divisor < 1))
    return fail(Code::undefined_value,
                fmt::format("a remainder by {} has no value", to_string(a.left.parts[1].number)),
                a.left.parts[1].span, "divide by a number of at least 1");
  return {};
}

}  // namespace

std::string_view spelled(Relation relation) {
  for (const auto& [word, r] : kRelations) {
    if (r == relation) return word;
  }
  return "";
}

bool holds(Relation relation, Integer a, Integer b) {
  switch (relation) {
    case Relation::equal:
      return a == b;
    case Relation::unequal:
      return a != b;
    case Relation::less:
      return a < b;
    case Relation::at_most:
      return a <= b;
    case Relation::greater:
      return a > b;
    case Relation::at_least:
      break;
  }
  return a >= b;
}

Result<AssumptionList> AssumptionList::parse(std::string_view text, std::uint32_t begin) {
  AssumptionList out;
  TermReader reader(text, begin);
  if (reader.at_end())
    return fail(Code::syntax, "expected an assumption, found the end", reader.span(),
                "write an assumption such as N % 8 == 0, M in [1, 64] or M <= N");
  for (;;) {
    if (out.items_.size() >= kSizeLimits.assumptions)
      return fail(Code::limit, "too many assumptions", reader.span());
    Result<SizeTerm> first = reader.term();
    if (!first) return fail(first.error());
    const bool name = first->kind == TermKind::name;
    if (name && (reader.at_end() || reader.at(",") || reader.at("and"))) {
      out.items_.push_back({.kind = ItemKind::name, .name = first->name, .span = first->span});
    } else if (name && reader.accept("in")) {
      Result<Assumption> a = interval(reader, *first);
      if (!a) return fail(a.error());
      out.items_.push_back(*std::move(a));
    } else {
      SizeTerm left = *std::move(first);
      for (bool chained = false;; chained = true) {
        const bool may_chain = reader.at("<") || reader.at("<=");
        if (chained && !may_chain) break;
        const std::optional<Relation> relation = accept_relation(reader);
        if (!relation) return reader.expected("a comparison such as N % 8 == 0, 'in' or ','");
        Result<SizeTerm> right = reader.term();
        if (!right) return fail(right.error());
        Assumption a{.kind = ItemKind::comparison,
                     .left = left,
                     .right = *right,
                     .relation = *relation,
                     .span = {left.span.begin, right->span.end}};
        if (const Result<void> ok = checked(a); !ok) return fail(ok.error());
        left = *std::move(right);
        out.items_.push_back(std::move(a));
        if (!may_chain) break;
      }
    }
    if (reader.at_end()) return out;
    if (!reader.accept(",") && !reader.accept("and")) return reader.expected("',' or the end");
  }
}

void AssumptionList::append(const AssumptionList& more) {
  items_.insert(items_.end(), more.items_.begin(), more.items_.end());
}

void AssumptionList::come_from(std::string_view field) {
  for (Assumption& one : items_) one.field = field;
}

void AssumptionList::come_from(std::string_view field, std::uint32_t item, Span whole) {
  come_from(field);
  for (Assumption& one : items_) {
    one.item = item;
    one.span = whole;
  }
}

std::vector<std::string> AssumptionList::names(std::vector<std::string> others) const {
  std::vector<std::string> out;
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(out, name) == out.end()) out.push_back(name);
  };
  for (const Assumption& a : items_) {
    if (!a.name.empty()) add(a.name);
    add_names(a.left, out);
    add_names(a.right, out);
  }
  std::ranges::sort(others);
  for (const std::string& name : others) add(name);
  return out;
}

bool AssumptionList::holds(const Sizes& sizes) const {
  return satisfied(sizes) &&
         std::ranges::all_of(sizes, [&](const auto& size) { return size.second >= range(size.first).low; });
}

bool AssumptionList::satisfied(const Sizes& sizes) const {
  for (const Assumption& a : items_) {
    if (a.kind == ItemKind::name) continue;
    const std::optional<Integer> left = evaluate(a.left, sizes);
    const std::optional<Integer> right = evaluate(a.right, sizes);
    if (!left || !right) return false;
    if (a.kind == ItemKind::comparison) {
      if (!symbolic::holds(a.relation, *left, *right)) return false;
      continue;
    }
    const auto value = sizes.find(a.name);
    if (value == sizes.end() || value->second < *left || value->second > *right) return false;
  }
  return true;
}

AssumptionList::Ends AssumptionList::ends(const SizeTerm& term, int depth) const {
  if (const auto number = number_of(term)) return {number, number};
  if (term.kind == TermKind::name) {
    if (depth == 0) return {};
    const SizeRegion::Range own = range(term.name, depth - 1);
    return {own.low == kUnboundedSize ? std::nullopt : std::optional(own.low), own.high};
  }
  const Ends a = ends(term.parts[0], depth);
  const auto negative = [](const Ends& x) {
    return Ends{x.high ? std::optional(-*x.high) : std::nullopt,
                x.low ? std::optional(-*x.low) : std::nullopt};
  };
  if (term.kind == TermKind::negative) return negative(a);
  const Ends b = ends(term.parts[1], depth);
  using Operation = std::optional<Integer> (*)(Integer, Integer);
  const auto both = [](std::optional<Integer> x, std::optional<Integer> y, Operation of) {
    return x && y ? of(*x, *y) : std::nullopt;
  };
  const auto quotient = [&](const Ends& x) -> Ends {
    if (!b.low || *b.low < 1) return {};
    // What is below 0 is smallest by the smallest divisor, and what is not by the largest.
    const auto end = [&](std::optional<Integer> of, bool small) -> std::optional<Integer> {
      if (!of) return std::nullopt;
      if (small) return floor_div(*of, *b.low);
      if (b.high) return floor_div(*of, *b.high);
      return *of < 0 ? -1 : 0;
    };
    return {end(x.low, x.low < 0), end(x.high, x.high >= 0)};
  };
  const auto smaller = [](Integer x, Integer y) -> std::optional<Integer> { return std::min(x, y); };
  const auto larger = [](Integer x, Integer y) -> std::optional<Integer> { return std::max(x, y); };
  switch (term.kind) {
    case TermKind::plus:
      return {both(a.low, b.low, checked_add), both(a.high, b.high, checked_add)};
    case TermKind::minus: {
      const Ends c = negative(b);
      return {both(a.low, c.low, checked_add), both(a.high, c.high, checked_add)};
    }
    case TermKind::times: {
      if (a.low >= 0 && b.low >= 0)
        return {both(a.low, b.low, checked_mul), both(a.high, b.high, checked_mul)};
      Ends out;
      bool first = true;
      for (const auto x : {a.low, a.high}) {
        for (const auto y : {b.low, b.high}) {
          const auto product = both(x, y, checked_mul);
          out.low = first ? product : both(out.low, product, smaller);
          out.high = first ? product : both(out.high, product, larger);
          first = false;
        }
      }
      return out;
    }
    case TermKind::over:
      return quotient(a);
    case TermKind::ceil_over:
      return negative(quotient(negative(a)));
    case TermKind::modulo:
      if (!b.low || *b.low < 1) return {};
      return {0, b.high ? std::optional(*b.high - 1) : std::nullopt};
    case TermKind::minimum:
      return {both(a.low, b.low, smaller), a.high && b.high ? std::min(a.high, b.high)
                                           : a.high         ? a.high
                                                            : b.high};
    default:
      return {std::max(a.low, b.low), both(a.high, b.high, larger)};
  }
}

SizeRegion::Range AssumptionList::range(std::string_view name) const {
  return range(name, kSizeLimits.nested_intervals);
}

SizeRegion::Range AssumptionList::range(std::string_view name, int depth) const {
  std::optional<Integer> low;
  bool declared = false;
  SizeRegion::Range out;
  for (const Assumption& a : items_) {
    if (a.kind != ItemKind::interval || a.name != name) continue;
    declared = true;
    if (const auto end = ends(a.left, depth).low) low = low ? std::max(*low, *end) : *end;
    if (const auto end = number_of(a.right)) out.high = out.high ? std::min(*out.high, *end) : *end;
  }
  out.low = low.value_or(declared ? kUnboundedSize : 1);
  return out;
}

SizeRegion::Range AssumptionList::tight_range(std::string_view name) const {
  SizeRegion::Range out = range(name);
  const auto at_least = [&](Integer end) { out.low = std::max(out.low, end); };
  const auto at_most = [&](Integer end) { out.high = out.high ? std::min(*out.high, end) : end; };
  for (const Assumption& a : items_) {
    const auto end = number_of(a.right);
    if (a.kind != ItemKind::comparison || !end || a.left.kind != SizeTerm::Kind::name || a.left.name != name)
      continue;
    if (a.relation == Relation::equal || a.relation == Relation::at_least) at_least(*end);
    if (a.relation == Relation::equal || a.relation == Relation::at_most) at_most(*end);
    if (a.relation == Relation::greater) at_least(*end + 1);
    if (a.relation == Relation::less) at_most(*end - 1);
  }
  return out;
}

AssumptionList AssumptionList::about_only(std::string_view name) const {
  AssumptionList out;
  for (const Assumption& a : items_) {
    AssumptionList one;
    one.items_.push_back(a);
    const std::vector<std::string> names = one.names();
    if (names.size() == 1 && names[0] == name) out.items_.push_back(a);
  }
  return out;
}

std::string AssumptionList::text() const {
  std::string out;
  for (const Assumption& a : items_) {
    out += out.empty() ? "" : ", ";
    switch (a.kind) {
      case ItemKind::name:
        out += a.name;
        break;
      case ItemKind::interval:
        if (const std::string low = canonical(a.left); low == canonical(a.right)) {
          out += fmt::format("{} == {}", a.name, low);
        } else {
          out += fmt::format("{} in [{}, {}]", a.name, low, canonical(a.right));
        }
        break;
      case ItemKind::comparison: {
        const bool remainder = a.left.kind == TermKind::modulo;
        out += remainder ? fmt::format("{} % {}", bracketed(canonical(a.left.parts[0])),
                                       bracketed(canonical(a.left.parts[1])))
                         : canonical(a.left);
        out += fmt::format(" {} {}", spelled(a.relation), canonical(a.right));
      }
    }
  }
  return out;
}

std::vector<SizeCondition> conditions_of(const Assumption& a, Space& space,
                                         std::vector<Polynomial>& divisors) {
  const auto poly = [&](const SizeTerm& t) { return polynomial(t, space, divisors); };
  if (a.kind == ItemKind::name) return {};
  if (a.kind == ItemKind::interval) {
    const Polynomial v = Polynomial::of(space.parameter(a.name));
    std::vector<SizeCondition> out;
    if (!number_of(a.left)) out.push_back(at_least(v, poly(a.left)));
    if (!number_of(a.right)) out.push_back(at_least(poly(a.right), v));
    return out;
  }
  const Polynomial right = poly(a.right);
  if (a.left.kind == TermKind::modulo) {
    const Polynomial p = poly(a.left.parts[0]);
    const Polynomial q = poly(a.left.parts[1]);
    if (a.relation == Relation::equal)
      return {at_least(q, 1), at_least(right, 0), at_least(q, right + 1), divides(q, p - right)};
    const bool fits =
        right.is_constant() && q.is_constant() && right.constant() >= 0 && right.constant() < q.constant();
    if (fits || right.is_zero()) return {at_least(q, 1), divides(q, p - right).negated()};
  }
  const Polynomial left = poly(a.left);
  switch (a.relation) {
    case Relation::equal:
      return {{SizeCondition::Kind::zero, left - right, {}}};
    case Relation::unequal:
      return {{SizeCondition::Kind::nonzero, left - right, {}}};
    case Relation::less:
      return {at_least(right, left + 1)};
    case Relation::at_most:
      return {at_least(right, left)};
    case Relation::greater:
      return {at_least(left, right + 1)};
    case Relation::at_least:
      break;
  }
  return {at_least(left, right)};
}

Premises premises(const AssumptionList& list, const std::vector<std::string>& names,
                  std::shared_ptr<Space> space) {
  Premises out{SizeRegion(space)};
  for (const std::string& name : names) {
    const SizeRegion::Range range = list.range(name);
    if (range.high && *range.high < range.low) {
      out.empty = true;
      return out;
    }
    out.region.declare(space->parameter(name), range);
  }
  // Equations and divisors first: they make the other conditions simpler.
  std::vector<Polynomial> divisors;
  std::vector<std::pair<int, SizeCondition>> ranked;
  for (const Assumption& a : list.items()) {
    for (SizeCondition& c : conditions_of(a, *space, divisors)) {
      const int rank = c.kind == SizeCondition::Kind::zero      ? 0
                       : c.kind == SizeCondition::Kind::divides ? 2
                                                                : 3;
      ranked.emplace_back(rank, std::move(c));
    }
  }
  for (const Polynomial& d : divisors) ranked.emplace_back(1, at_least(d, 1));
  std::ranges::stable_sort(ranked, {}, [](const auto& x) { return x.first; });
  for (auto& [rank, c] : ranked) out.conditions.push_back(std::move(c));
  return out;
}

}  // namespace tessera::symbolic
