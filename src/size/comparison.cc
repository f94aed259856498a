// SPDX-License-Identifier: Apache-2.0
// Terms and comparisons of terms, as public functions.
#include <fmt/format.h>

#include <algorithm>

#include "size/question.h"
#include "size/spelling.h"

namespace tessera {
namespace {

using symbolic::AssumptionList;
using symbolic::Integer;
using symbolic::Leaf;
using symbolic::Polynomial;
using symbolic::Relation;
using symbolic::SizeCondition;
using symbolic::SizeTerm;
using symbolic::TermReader;
using symbolic::Trial;

/// A division by a number below 1.
Result<void> checked(const SizeTerm& term) {
  const bool divides = term.kind == SizeTerm::Kind::over || term.kind == SizeTerm::Kind::modulo ||
                       term.kind == SizeTerm::Kind::ceil_over;
  if (divides) {
    const auto number = symbolic::evaluate(term.parts[1], {});
    if (number && *number < 1)
      return fail(Code::undefined_value,
                  fmt::format("a division by {} has no value", symbolic::to_string(*number)),
                  term.parts[1].span, "divide by a number of at least 1");
  }
  for (const SizeTerm& part : term.parts) {
    if (const Result<void> ok = checked(part); !ok) return ok;
  }
  return {};
}

Result<SizeTerm> read(TermReader& reader) {
  Result<SizeTerm> term = reader.term();
  if (!term) return term;
  if (const Result<void> ok = checked(*term); !ok) return fail(ok.error());
  return term;
}

std::vector<std::string> names_of(const SizeTerm& a, const SizeTerm& b) {
  std::vector<std::string> out;
  add_names(a, out);
  add_names(b, out);
  return out;
}

SizeCondition condition_of(Relation relation, const Polynomial& a, const Polynomial& b) {
  switch (relation) {
    case Relation::equal:
      return {SizeCondition::Kind::zero, a - b, {}};
    case Relation::unequal:
      return {SizeCondition::Kind::nonzero, a - b, {}};
    case Relation::less:
      return symbolic::at_least(b, a + 1);
    case Relation::at_most:
      return symbolic::at_least(b, a);
    case Relation::greater:
      return symbolic::at_least(a, b + 1);
    case Relation::at_least:
      break;
  }
  return symbolic::at_least(a, b);
}

}  // namespace

Result<SizeAssumptions> SizeAssumptions::parse(std::string_view text) {
  const Result<AssumptionList> list = AssumptionList::parse(text);
  if (!list) return fail(list.error());
  symbolic::Premises start = symbolic::premises(*list, list->names(), std::make_shared<symbolic::Space>());
  const symbolic::Exploration all =
      start.empty
          ? symbolic::Exploration{.empty = true}
          : symbolic::explore(start.region, start.conditions, [](symbolic::Recorder&) { return Leaf{}; });
  if (all.empty) return fail(symbolic::no_sizes(*list));
  SizeAssumptions out;
  out.text_ = list->text();
  out.list_ = std::make_shared<const AssumptionList>(*list);
  return out;
}

bool SizeAssumptions::holds(const SizeMap& sizes) const {
  symbolic::Sizes numbers;
  for (const auto& [name, value] : sizes) numbers[name] = value;
  if (list_ == nullptr) return true;
  for (const std::string& name : list_->names()) {
    if (!numbers.contains(name)) return false;
  }
  return list_->holds(numbers);
}

Result<std::string> canonical_size(std::string_view text) {
  TermReader reader(text);
  const Result<SizeTerm> term = read(reader);
  if (!term) return fail(term.error());
  if (!reader.at_end()) return reader.expected("an operator or the end");
  return symbolic::canonical(*term);
}

Result<SizeAnswer> compare_sizes(std::string_view text, const SizeAssumptions& where) {
  TermReader reader(text);
  const Result<SizeTerm> left = read(reader);
  if (!left) return fail(left.error());
  std::optional<Relation> relation;
  for (const Relation r : {Relation::equal, Relation::unequal, Relation::at_most, Relation::at_least,
                           Relation::less, Relation::greater}) {
    if (!relation && reader.accept(spelled(r))) relation = r;
  }
  if (!relation) return reader.expected("a comparison");
  const Result<SizeTerm> right = read(reader);
  if (!right) return fail(right.error());
  if (!reader.at_end()) return reader.expected("an operator or the end");

  symbolic::SizeQuestion question;
  if (where.list() != nullptr) question.where = *where.list();
  question.names = question.where.names(names_of(*left, *right));
  question.repeats = true;
  question.outside = Code::undefined_value;
  // `x % m == r` is a question of its own: whether m divides x - r.
  const auto remainder = left->kind == SizeTerm::Kind::modulo ? symbolic::evaluate(*right, {}) : std::nullopt;
  const bool divides =
      remainder && *remainder >= 0 && (relation == Relation::equal || relation == Relation::unequal);
  question.program = [&](symbolic::Recorder& run) {
    std::vector<Polynomial> divisors;
    const auto poly = [&](const SizeTerm& t) { return polynomial(t, run.space(), divisors); };
    const Polynomial p = poly(divides ? left->parts[0] : *left);
    const Polynomial q = poly(divides ? left->parts[1] : *right);
    if (divides) divisors.push_back(q);
    for (const Polynomial& d : divisors) {
      if (!run.decide(symbolic::at_least(d, 1)))
        return Leaf{.kind = Leaf::Kind::outside, .reason = "a divisor is below 1"};
    }
    Leaf out{.frame = "true"};
    if (divides) {
      const bool fits = *remainder == 0 || run.decide(symbolic::at_least(q, *remainder + 1));
      const bool equal = fits && run.decide(symbolic::divides(q, p - *remainder));
      if (equal != (relation == Relation::equal)) out.frame = "false";
    } else if (!run.decide(condition_of(*relation, p, q))) {
      out.frame = "false";
    }
    return out;
  };
  question.try_at = [&](const symbolic::Sizes& at) {
    const auto a = symbolic::evaluate(*left, at);
    const auto b = symbolic::evaluate(*right, at);
    if (!a || !b) {
      const bool outside = divides_below_one(*left, at) || divides_below_one(*right, at);
      return Trial{.kind = outside ? Trial::Kind::outside : Trial::Kind::skipped};
    }
    if (symbolic::holds(*relation, *a, *b)) return Trial{};
    return Trial{.kind = Trial::Kind::fails, .values = {symbolic::to_string(*a), symbolic::to_string(*b)}};
  };
  return symbolic::answer(question);
}

}  // namespace tessera
