// SPDX-License-Identifier: Apache-2.0
// How many points and different results a map with names for sizes has, and which.
#include "notation/symbolic/map_counts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "notation/symbolic/map_inverse.h"
#include "notation/symbolic/map_terms.h"
#include "size/sized_cases.h"

namespace tessera::symbolic {
namespace {

class Counter {
 public:
  Counter(const SymbolicMap& map, Recorder& run) : map_(map), forms_(run) {}

  MapForms& forms() { return forms_; }
  /// Why there is no answer, after `read`.
  std::optional<Leaf> failure() const { return forms_.failed() ? std::optional(forms_.failure()) : failure_; }
  bool is_empty() const { return empty_; }
  bool is_constrained() const { return domain_.size() > map_.dims().size(); }

  void read() {
    MapForms with_constraints(forms_.run());
    domain_ = declare_domain(map_, with_constraints);
    // What is counted may have no points: constraints are not assumed here.
    for (std::size_t d = 0; d < map_.dims().size() && !forms_.failed(); ++d) {
      const Polynomial low = forms_.of(map_.domain()[d].low);
      const Polynomial high = forms_.of(map_.domain()[d].high);
      if (!forms_.failed()) forms_.declare(map_.dims()[d], low, high);
    }
    if (with_constraints.failed() && !forms_.failed()) failure_ = with_constraints.failure();
    for (const MapForms::Dim& dim : forms_.dims()) {
      if (!forms_.failed() && !forms_.holds(dim.high - dim.low)) empty_ = true;
    }
  }

  /// The number of points; each constraint has variables of its own.
  Polynomial points() {
    const std::size_t rank = map_.dims().size();
    std::vector<bool> counted(rank, false);
    Polynomial out = 1;
    for (std::size_t c = rank; c < domain_.size() && !forms_.failed(); ++c) {
      const Polynomial low = forms_.of(domain_[c].low);
      const Polynomial high = forms_.of(domain_[c].high);
      const Polynomial value = forms_.of(domain_[c].value);
      if (forms_.failed()) return out;
      const MapDigits parts = digits_of({value}, forms_);
      if (!forms_.is_of_sizes(low) || !forms_.is_of_sizes(high))
        forms_.fail_undecided("a constraint is between two values that depend on variables");
      if (forms_.failed()) return out;
      std::vector<std::size_t> used;
      for (std::size_t j = 0; j < parts.digits.size(); ++j) {
        if (sign_of(parts.sums[0].factors[j], forms_) != 0) used.push_back(j);
      }
      for (const std::size_t j : used) {
        if (counted[parts.digits[j].dim]) forms_.fail_undecided("two constraints have one variable");
      }
      for (const std::size_t j : used) counted[parts.digits[j].dim] = true;
      if (forms_.failed()) return out;
      out = out * constrained(parts, used, low, high, in_map(domain_[c].value));
    }
    for (std::size_t d = 0; d < rank; ++d) {
      if (!counted[d]) out = out * (forms_.dims()[d].high - forms_.dims()[d].low + 1);
    }
    return out;
  }

  /// The values of each result, if they do not depend on one another.
  std::optional<std::vector<SizedProgression>> values() {
    std::vector<Polynomial> results;
    for (const SizeTerm& t : map_.results()) results.push_back(forms_.of(t));
    if (forms_.failed()) return std::nullopt;
    const MapDigits parts = digits_of(results, forms_);
    if (forms_.failed()) return std::nullopt;
    std::vector<std::size_t> owner(parts.digits.size(), parts.sums.size());
    std::vector<std::size_t> uses(map_.dims().size(), 0);
    std::vector<SizedProgression> out;
    for (std::size_t r = 0; r < parts.sums.size(); ++r) {
      std::vector<std::size_t> used;
      for (std::size_t j = 0; j < parts.digits.size(); ++j) {
        if (sign_of(parts.sums[r].factors[j], forms_) == 0) continue;
        if (owner[j] != parts.sums.size()) return undecided("several results depend on one variable");
        owner[j] = r;
        ++uses[parts.digits[j].dim];
        used.push_back(j);
      }
      const auto all = progression(parts, parts.sums[r], used);
      if (!all) return std::nullopt;
      out.push_back(*all);
    }
    for (std::size_t d = 0; d < uses.size(); ++d) {
      if (uses[d] > 1 && !parts.whole[d])
        return undecided("not every combination of the digits of a variable is in the domain");
    }
    return out;
  }

 private:
  std::nullopt_t undecided(std::string why) {
    forms_.fail_undecided(std::move(why));
    return std::nullopt;
  }
  Polynomial size_of(const Polynomial& factor) { return sign_of(factor, forms_) < 0 ? -factor : factor; }

  /// The sums of some digits, if they are one progression.
  std::optional<SizedProgression> progression(const MapDigits& parts, const DigitSum& sum,
                                              const std::vector<std::size_t>& used) {
    SizedProgression out{.first = sum.constant};
    std::vector<std::size_t> order;
    for (const std::size_t j : by_factor(sum, used, forms_)) {
      if (sign_of(sum.factors[j], forms_) < 0) out.first = out.first + sum.factors[j] * parts.digits[j].last;
      order.push_back(j);
    }
    bool begun = false;
    for (const std::size_t j : order) {
      const Polynomial factor = size_of(sum.factors[j]);
      const Polynomial& last = parts.digits[j].last;
      if (!begun) {
        if (!forms_.proves(last - 1) && order.size() > 1 && !forms_.holds(last - 1)) continue;
        out.step = factor;
        out.count = last + 1;
        begun = true;
        continue;
      }
      if (!forms_.divides(out.step, factor) || !forms_.holds(out.step * out.count - factor)) {
        if (!forms_.holds(last - 1)) continue;
        return undecided("the results are not all multiples of one number");
      }
      out.count = out.count + forms_.quotient(factor, out.step) * last;
    }
    return out;
  }

  /// The number of points of the variables of one constraint.
  Polynomial constrained(const MapDigits& parts, const std::vector<std::size_t>& used, Polynomial low,
                         Polynomial high, const std::string& text) {
    const DigitSum& sum = parts.sums[0];
    const auto not_counted = [&] {
      return forms_.fail_undecided(fmt::format("the points with the constraint on {} are not counted", text));
    };
    const auto at_least_0 = [&](const Polynomial& n) { return forms_.holds(n - 1) ? n : Polynomial(); };
    const auto digits_of_dim = [&](std::size_t d) {
      return std::ranges::count(parts.digits, d, &MapDigit::dim);
    };
    low = low - sum.constant;
    high = high - sum.constant;
    for (const std::size_t j : used) {  // all factors as positive
      if (sign_of(sum.factors[j], forms_) > 0) continue;
      low = low - sum.factors[j] * parts.digits[j].last;
      high = high - sum.factors[j] * parts.digits[j].last;
    }
    const bool plain =
        std::ranges::all_of(used, [&](std::size_t j) { return digits_of_dim(parts.digits[j].dim) == 1; });
    if (used.empty()) return forms_.holds(high) && forms_.holds(-low) ? Polynomial(1) : Polynomial();
    if (!plain) {
      const MapDigit& digit = parts.digits[used[0]];
      if (used.size() != 1 || digits_of_dim(digit.dim) != 2 || !(digit.div == Polynomial(1)))
        return not_counted();
      // x mod k in [low, high]
      const Polynomial k = parts.digits[used[0] + 1].div;
      const Polynomial n = forms_.dims()[digit.dim].high + 1;
      const Polynomial factor = size_of(sum.factors[used[0]]);
      low = -forms_.quotient(-low, factor);
      high = forms_.quotient(high, factor);
      const Polynomial first = forms_.maximum(low, 0);
      const Polynomial end = forms_.minimum(high + 1, k);
      const Polynomial whole = forms_.quotient(n, k);
      const auto below = [&](const Polynomial& t) { return whole * t + forms_.minimum(n - k * whole, t); };
      if (forms_.failed() || !forms_.holds(end - first - 1)) return 0;
      return below(end) - below(first);
    }
    const auto reach_of = [&](std::size_t j) { return size_of(sum.factors[j]) * parts.digits[j].last; };
    const std::vector<std::size_t> order = by_factor(sum, used, forms_);
    const Polynomial step = size_of(sum.factors[order[0]]);
    Polynomial reach = reach_of(order[0]);
    bool dense = true;  // every multiple of the step up to the reach, once
    for (std::size_t i = 1; i < order.size(); ++i) {
      dense = dense && size_of(sum.factors[order[i]]) == reach + step;
      reach = reach + reach_of(order[i]);
    }
    if (dense) {
      const Polynomial first = forms_.maximum(-forms_.quotient(-low, step), 0);
      const Polynomial last = forms_.minimum(forms_.quotient(high, step), forms_.quotient(reach, step));
      if (forms_.failed()) return 0;
      return at_least_0(last - first + 1);
    }
    // Two variables with one factor: the pairs with a sum of at most `high` are a triangle.
    if (order.size() != 2 || !(size_of(sum.factors[order[1]]) == step) || !forms_.proves(-low))
      return not_counted();
    const Polynomial most = forms_.quotient(high, step);
    if (forms_.failed() || !forms_.holds(most)) return 0;
    if (!forms_.holds(parts.digits[order[0]].last - most) ||
        !forms_.holds(parts.digits[order[1]].last - most))
      return not_counted();
    return forms_.quotient((most + 1) * (most + 2), 2);
  }

  const SymbolicMap& map_;
  MapForms forms_;
  std::vector<SizedInterval> domain_ = {};
  bool empty_ = false;
  std::optional<Leaf> failure_ = {};
};

Leaf number(const Polynomial& form, MapForms& forms) {
  if (!forms.failed() && !form.known()) forms.fail_undecided("a number is too large");
  if (forms.failed()) return forms.failure();
  return {.frame = std::string(1, kSpacedNumber), .numbers = {forms.displayed(form)}};
}

}  // namespace

MapProgressions progressions_of(const SymbolicMap& map, Recorder& run) {
  Counter counter(map, run);
  counter.read();
  MapForms& forms = counter.forms();
  MapProgressions out;
  const auto values = counter.failure() ? std::nullopt : counter.values();
  if (!values) {
    out.failure = counter.failure();
    return out;
  }
  for (const SizedProgression& p : *values)
    out.results.push_back({forms.displayed(p.first), forms.displayed(p.step), forms.displayed(p.count)});
  return out;
}

Leaf count_leaf(const SymbolicMap& map, bool of_points, Recorder& run) {
  Counter counter(map, run);
  counter.read();
  MapForms& forms = counter.forms();
  if (const auto why = counter.failure()) return *why;
  if (counter.is_empty()) return number(0, forms);
  if (of_points) return number(counter.points(), forms);
  const MapInverse back = inverse_of(map, run);
  if (back.map) return number(counter.points(), forms);
  if (counter.is_constrained()) {
    forms.fail_undecided("two points may have one result, and the domain has constraints");
    return forms.failure();
  }
  const auto values = counter.values();
  Polynomial out = 1;
  if (values) {
    for (const SizedProgression& p : *values) out = out * p.count;
  }
  return number(out, forms);
}

Leaf image_leaf(const SymbolicMap& map, Recorder& run) {
  const auto text = [](const std::vector<SizedInterval>& intervals) {
    std::vector<std::string> out;
    for (const SizedInterval& i : intervals)
      out.push_back(fmt::format("{} in [{}, {}]", in_map(i.value), in_map(i.low), in_map(i.high)));
    return Leaf{.frame = out.empty() ? "()" : fmt::format("{}", fmt::join(out, ", "))};
  };
  Counter counter(map, run);
  counter.read();
  MapForms& forms = counter.forms();
  if (const auto why = counter.failure()) return *why;
  if (counter.is_empty()) return {.frame = "KNOWN EMPTY"};
  const std::string prefix = unused_prefix('r', map);
  const MapInverse back = inverse_of(map, run);
  if (back.map) {
    MapForms after(run);
    const SymbolicMap simple = simplified(*back.map, after);
    std::map<std::string, SizeTerm> names;
    for (std::size_t r = 0; r < simple.dims().size(); ++r)
      names[simple.dims()[r]] = named(fmt::format("{}{}", prefix, r));
    std::vector<SizedInterval> out;
    for (const SizedInterval& i : simple.domain())
      out.push_back({replaced(i.value, names), replaced(i.low, names), replaced(i.high, names)});
    if (!after.failed()) return text(out);
    // The results of an inverse that has no simple form, as where they are below 0, may be progressions.
    if (counter.is_constrained()) return after.failure();
  } else if (counter.is_constrained()) {
    forms.fail_undecided("two points may have one result, and the domain has constraints");
    return forms.failure();
  }
  const auto values = counter.values();
  if (!values) return forms.failure();
  std::vector<SizedInterval> out;
  std::vector<SizedInterval> steps;
  for (std::size_t r = 0; r < values->size(); ++r) {
    const SizedProgression& p = (*values)[r];
    const SizeTerm name = named(fmt::format("{}{}", prefix, r));
    out.push_back({name, forms.term(p.first), forms.term(p.first + p.step * (p.count - 1))});
    if (p.step == Polynomial(1)) continue;
    const SizeTerm from_first =
        p.first.is_zero() ? name : combined(SizeTerm::Kind::minus, name, forms.term(p.first));
    steps.push_back(
        {combined(SizeTerm::Kind::modulo, from_first, forms.term(p.step)), SizeTerm::of(0), SizeTerm::of(0)});
  }
  if (forms.failed()) return forms.failure();
  out.insert(out.end(), steps.begin(), steps.end());
  return text(out);
}

}  // namespace tessera::symbolic
