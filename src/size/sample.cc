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
    const auto value = values_.at(v).evaluate([&](SizeVariable c) -> std::optional<Integer> {
      const auto found = point.find(c);
      return found == point.end() ? std::nullopt : std::optional(found->second);
    });
    // Sizes of the sample are numbers of the integer algorithms, with room for products.
    if (!value || *value > (Integer{1} << 40)) return std::nullopt;
    sizes[v] = *value;
  }
  return contains(sizes) ? std::optional(sizes) : std::nullopt;
}

std::optional<std::map<SizeVariable, Integer>> SizeRegion::generic_sample() const {
  for (std::size_t shift = 0; shift < 4; ++shift) {
    Point point;
    std::size_t i = shift;
    for (const auto& [core, range] : cores_) {
      Integer x = range.low + kGeneric[i % kGeneric.size()];
      if (range.high && x > *range.high) x = i % 2 == 0 ? *range.high : floor_div(range.low + *range.high, 2);
      point[core] = x;
      ++i;
    }
    if (auto found = sample_at(point)) return found;
  }
  return std::nullopt;
}

std::optional<std::map<SizeVariable, Integer>> SizeRegion::sample() const {
  if (declared_.size() <= 2) {
    if (auto found = sample_parameters(0, kSizeLimits.small_sample)) return found;
  }
  std::vector<SizeVariable> cores;
  for (const auto& [v, range] : cores_) cores.push_back(v);
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
    Point point;
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
      point[v] = range.high && x > *range.high ? *range.high : x;
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
    Point point;
    for (std::size_t n = choices.size(); n-- > 0;) {
      point[cores[n]] = choices[n][static_cast<std::size_t>(rest) % choices[n].size()];
      rest /= static_cast<int>(choices[n].size());
    }
    if (rest != 0) break;
    if (auto found = sample_at(point)) return found;
  }
  return sample_parameters(0, 48);
}

// Parameters by their largest value.
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
