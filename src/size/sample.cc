// SPDX-License-Identifier: Apache-2.0
// Members of a region.
#include <algorithm>
#include <array>
#include <random>

#include "size/limits.h"
#include "size/region.h"

namespace tessera::symbolic {
namespace {

constexpr std::array<int, 7> kGeneric = {11, 13, 17, 19, 23, 29, 31};

}  // namespace

bool SizeRegion::contains(const std::map<SizeVariable, Integer>& sizes) const {
  for (const auto& [v, range] : declared_) {
    const auto found = sizes.find(v);
    if (found == sizes.end() || found->second < range.low || (range.high && found->second > *range.high))
      return false;
  }
  return std::ranges::all_of(conditions_,
                             [&](const SizeCondition& c) { return space_->holds(c, sizes).value_or(false); });
}

// The parameters of a point of the cores, if they are an element.
std::optional<std::map<SizeVariable, Integer>> SizeRegion::sample_at(const Point& point) const {
  if (!satisfies_facts(point)) return std::nullopt;
  std::map<SizeVariable, Integer> sizes;
  for (const auto& [v, range] : declared_) {
    const auto value = values_.at(v).evaluate(point);
    // Sizes of the sample are numbers of the integer algorithms, with room for products.
    if (!value || *value > (Integer{1} << 40)) return std::nullopt;
    sizes[v] = *value;
  }
  return contains(sizes) ? std::optional(sizes) : std::nullopt;
}

// Each core in turn takes a number that facts about it and those before it allow, which finds the quotients
// of the others.
std::optional<SizeRegion::Point> SizeRegion::witness(std::size_t pattern) const {
  Point out;
  for (const auto& [core, range] : cores_) {
    Range here = range;
    for (const Polynomial& f : facts_) {
      if (f.degree(core) != 1) continue;
      const auto at = [&](Integer x) {
        return f.evaluate([&](SizeVariable v) { return v == core ? std::optional(x) : out(v); });
      };
      const auto rest = at(0);
      const auto next = at(1);
      if (!rest || !next || *next == *rest) continue;
      const Integer factor = *next - *rest;
      if (factor > 0) {
        here.low = std::max(here.low, -floor_div(*rest, factor));
      } else {
        const Integer high = floor_div(*rest, -factor);
        here.high = here.high ? std::min(*here.high, high) : high;
      }
    }
    if (here.high && *here.high < here.low) return std::nullopt;
    const std::size_t i = out.values.size() + pattern;
    const Integer x = here.low + (pattern == 0 ? 0 : pattern == 1 ? 1 : kGeneric[i % kGeneric.size()]);
    out.cores += core;
    out.values.push_back(!here.high || x <= *here.high ? x
                         : i % 2 == 0                  ? *here.high
                                                       : floor_div(here.low + *here.high, 2));
  }
  return satisfies_facts(out) ? std::optional(std::move(out)) : std::nullopt;
}

bool SizeRegion::refuted(const Polynomial& p) const {
  for (std::size_t k = 0;; ++k) {
    while (k == witnesses_.size() && witness_patterns_ < kSizeLimits.witnesses) {
      if (auto point = witness(witness_patterns_++)) witnesses_.push_back(*std::move(point));
    }
    if (k == witnesses_.size()) return false;
    if (const auto value = p.evaluate(witnesses_[k]); value && *value < 0) return true;
  }
}

std::optional<std::map<SizeVariable, Integer>> SizeRegion::generic_sample() const {
  for (std::size_t shift = 0; shift < 4; ++shift) {
    Point point;
    std::size_t i = shift;
    for (const auto& [core, range] : cores_) {
      Integer x = range.low + kGeneric[i % kGeneric.size()];
      if (range.high && x > *range.high) x = i % 2 == 0 ? *range.high : floor_div(range.low + *range.high, 2);
      point.cores += core;
      point.values.push_back(x);
      ++i;
    }
    if (auto found = sample_at(point)) return found;
  }
  return std::nullopt;
}

std::optional<std::map<SizeVariable, Integer>> SizeRegion::sample() const {
  const bool few = declared_.size() <= 2;
  if (few) {
    if (auto found = sample_parameters(0, kSizeLimits.small_sample)) return found;
  }
  Monomial cores;
  for (const auto& [v, range] : cores_) cores += v;
  const int cost = 1 + static_cast<int>(cores.size() / 16);  // points of many cores cost more
  // Conditions with large numbers, as `N >= 129` and `N % 128 != 0`, over many cores: sizes of every
  // magnitude.
  std::vector<Integer> near;
  for (const SizeCondition& c : conditions_) {
    for (const Polynomial* const p : {&c.p, &c.q}) {
      for (const Polynomial::Term& term : p->terms()) {
        const Integer size = term.factor < 0 ? -term.factor : term.factor;
        if (size > 16 && size < kSizeLimits.sample_factor && std::ranges::find(near, size) == near.end())
          near.push_back(size);
      }
    }
  }
  std::minstd_rand random(1);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  for (int i = 0; i < kSizeLimits.random_tries && !near.empty() && space_->samples < kSizeLimits.samples;
       ++i) {
    space_->samples += cost;
    Point point{cores, {}};
    for (const SizeVariable v : cores) {
      const Range& range = cores_.at(v);
      Integer x = static_cast<Integer>(below(4));
      switch (below(4)) {
        case 0:
          break;
        case 1:
          x += static_cast<Integer>(below(16));
          break;
        case 2:
          x += Integer{1} << below(12);
          break;
        default:
          x += near[below(near.size())] * static_cast<Integer>(1 + below(3)) - 2;
          break;
      }
      x += range.low;
      point.values.push_back(range.high && x > *range.high ? *range.high : x);
    }
    if (auto found = sample_at(point)) return found;
  }
  std::vector<std::vector<Integer>> choices;
  for (const SizeVariable v : cores) {
    const Range& range = cores_.at(v);
    std::vector<Integer> values;
    for (Integer x = range.low; x <= range.low + 12 && (!range.high || x <= *range.high); ++x)
      values.push_back(x);
    if (cores.size() <= 3) {
      for (const Integer x :
           range.high
               ? std::vector<Integer>{*range.high, floor_div(range.low + *range.high, 2), *range.high - 1}
               : std::vector<Integer>{64, 1000, Integer{1} << 20}) {
        if (x > values.back()) values.push_back(x);
      }
    }
    choices.push_back(std::move(values));
  }
  for (int i = 0; i < kSizeLimits.tries && space_->samples < kSizeLimits.samples; ++i) {
    space_->samples += cost;
    int rest = i;
    Point point{cores, std::vector<Integer>(cores.size())};
    for (std::size_t n = choices.size(); n-- > 0;) {
      point.values[n] = choices[n][static_cast<std::size_t>(rest) % choices[n].size()];
      rest /= static_cast<int>(choices[n].size());
    }
    if (rest != 0) break;
    if (auto found = sample_at(point)) return found;
  }
  return sample_parameters(few ? kSizeLimits.small_sample + 1 : 0, kSizeLimits.largest_sample);
}

// Parameters by their largest value, from `least` on.
std::optional<std::map<SizeVariable, Integer>> SizeRegion::sample_parameters(Integer least,
                                                                             Integer most) const {
  std::vector<SizeVariable> names;
  for (const auto& [v, range] : declared_) names.push_back(v);
  const int cost = 1 + static_cast<int>(names.size() / 16);
  int tries = 0;
  for (Integer top = least; top <= most; ++top) {
    std::vector<Integer> at(names.size(), 0);
    for (bool more = !names.empty(); more;) {
      if (std::ranges::max(at) == top) {
        space_->samples += cost;
        if (++tries > kSizeLimits.tries || space_->samples > kSizeLimits.samples) return std::nullopt;
        std::map<SizeVariable, Integer> sizes;
        for (std::size_t i = 0; i < names.size(); ++i) sizes[names[i]] = at[i];
        if (contains(sizes)) return sizes;
      }
      std::size_t digit = names.size();
      while (digit-- > 0) {
        if (++at[digit] <= top) break;
        at[digit] = 0;
      }
      more = digit < names.size();
    }
  }
  return std::nullopt;
}

}  // namespace tessera::symbolic
