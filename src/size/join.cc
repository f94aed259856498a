// SPDX-License-Identifier: Apache-2.0
#include "size/join.h"

#include <algorithm>

namespace tessera::symbolic {

std::optional<SizeRegion> under(const SizeRegion& root, const std::vector<SizeCondition>& conditions) {
  SizeRegion out = root;
  for (const SizeCondition& c : conditions) {
    const SizeRegion::Verdict verdict = out.judge(c);
    if (verdict.failed || (verdict.holds && !*verdict.holds)) return std::nullopt;
    if (verdict.holds) continue;
    if (verdict.split && !(*verdict.split == c)) {
      // An equality that is two comparisons.
      const SizeCondition above = out.reduced({SizeCondition::Kind::nonnegative, c.p, {}});
      const SizeCondition below = out.reduced({SizeCondition::Kind::nonnegative, -c.p, {}});
      const bool plain = !out.space().has_derived(above.p) && !out.space().has_derived(below.p);
      if (c.kind != SizeCondition::Kind::zero || !plain) return std::nullopt;
      std::optional<SizeRegion> part = out.with(above);
      if (part) part = part->with(below);
      if (!part) return std::nullopt;
      out = *std::move(part);
      continue;
    }
    std::optional<SizeRegion> next = out.with(c);
    if (!next) return std::nullopt;
    out = *std::move(next);
  }
  return out;
}

namespace {

/// `tree` where the special case, which takes one side of each of its splits, has the answer of that side.
bool covers(const CaseTree& tree, const CaseTree& special) {
  if (tree.is_leaf()) return holds_on(tree.leaf, special.leaf, *special.region);
  SizeRegion there = *special.region;
  const SizeRegion::Verdict verdict = there.judge(tree.condition);
  return verdict.holds && covers(*verdict.holds ? *tree.yes : *tree.no, special);
}

bool same_conditions(const std::vector<SizeCondition>& a, const std::vector<SizeCondition>& b) {
  const auto within = [](const std::vector<SizeCondition>& x, const std::vector<SizeCondition>& y) {
    return std::ranges::all_of(x, [&](const SizeCondition& c) { return std::ranges::find(y, c) != y.end(); });
  };
  return within(a, b) && within(b, a);
}

void collect(const CaseTree& tree, std::vector<SizeCondition> conditions, std::vector<Case>& out) {
  if (tree.is_leaf()) {
    out.push_back({std::move(conditions), tree.leaf, tree.region});
    return;
  }
  for (const bool yes : {false, true}) {
    std::vector<SizeCondition> more = conditions;
    more.push_back(yes ? tree.condition : tree.condition.negated());
    collect(yes ? *tree.yes : *tree.no, std::move(more), out);
  }
}

/// Joins case i into case j, if they differ in one condition and the answer of j holds in i.
bool join_pair(std::vector<Case>& cases, std::size_t i, std::size_t j, const SizeRegion& root) {
  const Case& from = cases[i];
  const Case& into = cases[j];
  std::vector<SizeCondition> opposed;
  for (const SizeCondition& c : into.conditions) {
    const SizeCondition n = c.negated();
    if (std::ranges::find(from.conditions, n) != from.conditions.end()) opposed.push_back(n);
  }
  if (opposed.size() != 1 || !holds_on(into.leaf, from.leaf, *from.region)) return false;
  std::vector<SizeCondition> kept = into.conditions;
  std::erase(kept, opposed[0].negated());
  std::vector<SizeCondition> rest = from.conditions;
  std::erase(rest, opposed[0]);
  if (!same_conditions(kept, rest)) {
    std::vector<SizeCondition> both = kept;
    both.push_back(opposed[0]);
    if (!implies(root, from.conditions, kept) || !implies(root, both, rest)) return false;
  }
  const std::optional<SizeRegion> region = under(root, kept);
  if (!region) return false;
  cases[j] = {std::move(kept), into.leaf, std::make_shared<SizeRegion>(*region)};
  cases.erase(cases.begin() + static_cast<std::ptrdiff_t>(i));
  return true;
}

/// The elements that satisfy the conditions, and perhaps more; nothing if there are certainly none.
std::optional<SizeRegion> narrowed(SizeRegion there, const std::vector<SizeCondition>& conditions) {
  for (int round = 0; round < 2; ++round) {
    for (const SizeCondition& c : conditions) {
      const SizeRegion::Verdict verdict = there.judge(c);
      if (verdict.holds && !*verdict.holds) return std::nullopt;
      // A condition that needs a split is left out: then there are more elements.
      if (verdict.holds || !verdict.split || !(*verdict.split == c)) continue;
      std::optional<SizeRegion> next = there.with(c);
      if (!next) return std::nullopt;
      there = *std::move(next);
    }
  }
  return there;
}

struct FewValues {
  Polynomial term;
  std::vector<Integer> values;
};

/// Sizes that have few values there, and quotients of a number by a term, as ceil_div(8,N).
std::vector<FewValues> numbers_of_few_values(const SizeRegion& there,
                                             const std::vector<SizeCondition>& conditions) {
  std::vector<FewValues> out;
  const auto add = [&](const Polynomial& term, Integer first, Integer step, const SizeRegion::Range& steps) {
    if (!steps.high || *steps.high - steps.low >= kSizeLimits.few_values) return;
    out.push_back({term, {}});
    for (Integer x = steps.low; x <= *steps.high; ++x) out.back().values.push_back(first + step * x);
  };
  Monomial variables;
  for (const SizeCondition& c : conditions) variables += variables_of(c);
  std::ranges::sort(variables);
  variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
  for (const SizeVariable v : variables) {
    const VariableInfo& info = there.space()[v];
    if (info.kind != VariableInfo::Kind::quotient) continue;
    const Polynomial number = info.ceil ? info.a - info.b + 1 : info.a;
    if (number.is_constant() && number.constant() >= 0) add(Polynomial::of(v), 0, 1, {0, number.constant()});
  }
  const bool derived =
      std::ranges::any_of(variables, [&](SizeVariable v) { return there.space().is_derived(v); });
  for (const auto& [size, range] : there.declared()) {
    const Polynomial& value = there.values().at(size);
    const Monomial cores = value.variables();
    if (value.degree() == 1 && cores.size() == 1)
      add(Polynomial::of(size), value.constant(), value.terms()[0].factor, there.cores().at(cores[0]));
    // A quotient was judged before this size had one value.
    if (derived && value.is_constant()) add(Polynomial::of(size), value.constant(), 0, {0, 0});
  }
  return out;
}

}  // namespace

bool implies(const SizeRegion& root, const std::vector<SizeCondition>& conditions,
             const std::vector<SizeCondition>& goals) {
  const std::optional<SizeRegion> there = under(root, conditions);
  return there && std::ranges::all_of(goals, [&](const SizeCondition& c) { return there->proves(c); });
}

bool certainly_empty(const SizeRegion& root, std::vector<SizeCondition> conditions) {
  // Equations and divisors first, which become substitutions.
  const auto rank = [](const SizeCondition& c) {
    return c.kind == SizeCondition::Kind::zero ? 0 : c.kind == SizeCondition::Kind::divides ? 1 : 2;
  };
  std::ranges::stable_sort(conditions, {}, rank);
  const std::optional<SizeRegion> there = narrowed(root, conditions);
  if (!there) return true;
  // A number with few values: for none of them does anything satisfy the conditions.
  return std::ranges::any_of(numbers_of_few_values(*there, conditions), [&](const FewValues& number) {
    return std::ranges::none_of(number.values, [&](Integer n) {
      std::optional<SizeRegion> one = root;
      for (const SizeCondition& end : {at_least(number.term, n), at_least(n, number.term)}) {
        const SizeCondition c = one->reduced(end);
        if (one->space().has_derived(c.p)) return true;
        one = one->with(c);
        if (!one) return false;
      }
      return narrowed(*std::move(one), conditions).has_value();
    });
  });
}

bool holds_on(const Leaf& general, const Leaf& special, const SizeRegion& there) {
  if (general.kind != special.kind || general.frame != special.frame) return false;
  if (general.kind != Leaf::Kind::value) return general.reason == special.reason;
  if (general.numbers.size() != special.numbers.size()) return false;
  SizeRegion region = there;
  const std::size_t half = (general.numbers.size() - general.others) / 2;
  for (std::size_t n = 0; n < general.numbers.size(); ++n) {
    const Polynomial difference = general.numbers[n] - special.numbers[n];
    if (difference.is_zero()) continue;
    if (general.layout && n >= half && n < 2 * half &&
        region.proves({SizeCondition::Kind::zero, special.numbers[n - half] - 1, {}}))
      continue;
    if (!region.proves({SizeCondition::Kind::zero, difference, {}})) return false;
  }
  return true;
}

std::unique_ptr<CaseTree> joined(std::unique_ptr<CaseTree> split) {
  CaseTree& a = *split->yes;
  CaseTree& b = *split->no;
  if (a.is_leaf() && b.is_leaf()) {
    for (const bool first : {false, true}) {
      CaseTree& general = first ? a : b;
      const CaseTree& special = first ? b : a;
      if (!holds_on(general.leaf, special.leaf, *special.region)) continue;
      auto out = std::make_unique<CaseTree>();
      out->leaf = std::move(general.leaf);
      out->region = split->region;
      return out;
    }
    return split;
  }
  // A leaf that a case of the other side covers.
  for (const bool first : {true, false}) {
    std::unique_ptr<CaseTree>& special = first ? split->yes : split->no;
    std::unique_ptr<CaseTree>& rest = first ? split->no : split->yes;
    if (!special->is_leaf() || rest->is_leaf() || !covers(*rest, *special)) continue;
    rest->region = split->region;
    return std::move(rest);
  }
  return split;
}

namespace {

/// p >= 0 and -p >= 0 become p == 0; p >= 0 and p != 0 become p >= 1. False if there are no two such.
bool join_two(std::vector<SizeCondition>& conditions) {
  using Kind = SizeCondition::Kind;
  for (SizeCondition& one : conditions) {
    if (one.kind != Kind::nonnegative) continue;
    const Polynomial negative = -one.p;
    const Polynomial above = one.p - 1;
    for (auto c = conditions.begin(); c != conditions.end(); ++c) {
      const bool ends = c->kind == Kind::nonnegative && c->p == negative && &*c != &one;
      const bool hole = c->kind == Kind::nonzero && (c->p == one.p || c->p == negative) && above.known();
      if (!ends && !hole) continue;
      if (ends) one.kind = Kind::zero;
      if (hole) one.p = above;
      conditions.erase(c);
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<Case> flattened(const CaseTree& tree, const SizeRegion& root) {
  std::vector<Case> cases;
  collect(tree, {}, cases);
  // The region of a leaf may be smaller than its case, if the leaf covers a case that was joined to it.
  for (Case& c : cases) {
    const std::optional<SizeRegion> there = under(root, c.conditions);
    c.region = std::make_shared<SizeRegion>(there ? *there : root);
  }
  for (bool changed = cases.size() <= kSizeLimits.joined_cases; changed;) {
    changed = false;
    for (std::size_t i = 0; i < cases.size() && !changed; ++i) {
      for (std::size_t j = 0; j < cases.size() && !changed; ++j)
        changed = i != j && join_pair(cases, i, j, root);
    }
  }
  for (Case& c : cases) {
    while (join_two(c.conditions)) {
    }
    for (std::size_t n = 0; n < c.conditions.size();) {
      std::vector<SizeCondition> rest = c.conditions;
      const SizeCondition one = rest[n];
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(n));
      if (implies(root, rest, {one})) {
        c.conditions = std::move(rest);
      } else {
        ++n;
      }
    }
  }
  return cases;
}

}  // namespace tessera::symbolic
