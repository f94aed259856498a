// SPDX-License-Identifier: Apache-2.0
#include "hlo/indexing/fingerprint.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "base/index_walk.h"
#include "hlo/limits.h"

namespace tessera::detail {
namespace {

// `a` is multiplied first, because [0, 0] and [2, 2], and other small intervals, must not meet.
constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t z = (a * 0xd1342543de82ef95u ^ (b + 0x9e3779b97f4a7c15u)) * 0xbf58476d1ce4e5b9u;
  z ^= z >> 29;
  z *= 0x94d049bb133111ebu;
  return z ^ (z >> 32);
}

constexpr std::uint64_t hash_of(Interval bounds) {
  return mix(static_cast<std::uint64_t>(bounds.lower), static_cast<std::uint64_t>(bounds.upper));
}

/// A hash of the set of elements that one start index reads. Empty if there are too many, or if one is
/// undefined.
std::optional<std::uint64_t> elements_at(const IndexMap& map, std::span<const Index> start) {
  const auto variables = map.variables();
  std::array<Index, kHloLimits.indexing.fingerprint_variables> values{};
  for (std::size_t v = 0; v < variables.size(); ++v) {
    values[v] = v < start.size() ? start[v] : variables[v].bounds.lower;
    if (!variables[v].bounds.contains(values[v])) return 0;
  }
  std::size_t points = 1;
  for (std::size_t v = start.size(); v < variables.size(); ++v) {
    const auto count = variables[v].bounds.count();
    if (!count || *count > static_cast<Index>(kHloLimits.indexing.fingerprint_elements)) return std::nullopt;
    points *= static_cast<std::size_t>(*count);
    if (points > kHloLimits.indexing.fingerprint_elements) return std::nullopt;
  }
  const std::span<const Index> point(values.data(), variables.size());
  std::array<std::uint64_t, kHloLimits.indexing.fingerprint_elements> elements{};
  std::size_t found = 0;
  for (std::size_t i = 0; i < points; ++i) {
    if (map.constraints().empty() || map.domain().constraints_satisfied(point)) {
      std::uint64_t element = 1;
      for (const Expr& result : map.results()) {
        const auto value = evaluate(result, point);
        if (!value) return std::nullopt;
        element = mix(element, static_cast<std::uint64_t>(*value));
      }
      elements[found++] = element;
    }
    advance_last(variables.size() - start.size(), [&](std::size_t k) {
      const Interval bounds = variables[start.size() + k].bounds;
      return next_value(values[start.size() + k], bounds.lower, bounds.upper + 1);
    });
  }
  const auto all = std::span(elements).first(found);
  std::ranges::sort(all);
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < found; ++i) {
    if (i == 0 || all[i] != all[i - 1]) hash = mix(hash, all[i]);
  }
  return hash;
}

/// A hash of the elements at three start indices. Empty if one of them has no hash.
std::optional<std::uint64_t> elements_of(const IndexMap& map, const Domain& start) {
  const std::size_t dims = map.dim_count();
  if (map.variables().size() > kHloLimits.indexing.fingerprint_variables || start.dim_count() != dims ||
      map.known_empty())
    return std::nullopt;
  std::uint64_t hash = 0;
  std::array<Index, kHloLimits.indexing.fingerprint_variables> at{};
  for (int corner = 0; corner < 3; ++corner) {
    for (std::size_t d = 0; d < dims; ++d) {
      const Interval bounds = start.variables()[d].bounds;
      if (!bounds.is_finite()) return std::nullopt;
      // The width may exceed 63 bits.
      const std::uint64_t width =
          static_cast<std::uint64_t>(bounds.upper) - static_cast<std::uint64_t>(bounds.lower);
      // The inner one is not on the diagonal, so that exchanging two neighbors changes what it reads.
      const std::uint64_t inside = d % 2 == 0 ? width / (2 + d) : width - width / (2 + d);
      const auto inner = static_cast<Index>(static_cast<std::uint64_t>(bounds.lower) + inside);
      at[d] = corner == 0 ? bounds.lower : corner == 1 ? bounds.upper : inner;
    }
    const auto elements = elements_at(map, {at.data(), dims});
    if (!elements) return std::nullopt;
    hash = mix(hash, *elements);
  }
  return hash;
}

/// A hash of the form of a map. It does not depend on the order of the range variables.
std::uint64_t form_of(const IndexMap& map) {
  std::uint64_t hash = mix(map.range_count(), map.constraints().size());
  for (const Expr& result : map.results())
    hash = mix(hash, mix(static_cast<std::uint64_t>(result.kind()), result.node_count()));
  std::uint64_t ranges = 0;
  for (std::size_t v = map.dim_count(); v < map.variables().size(); ++v) {
    const std::uint64_t ends = hash_of(map.variables()[v].bounds);
    if (v < map.dim_count() + map.range_count()) {
      ranges += ends;
    } else {
      hash = mix(hash, ends);
    }
  }
  return mix(hash, ranges);
}

}  // namespace

std::optional<Index> few_points(const IndexMap& map) {
  Index points = 1;
  for (const Variable& v : map.variables()) {
    const auto count = v.bounds.count();
    if (!count || mul_overflows(points, *count, points) || points > kHloLimits.indexing.fingerprint_points)
      return std::nullopt;
  }
  return points;
}

Fingerprint::Fingerprint(const Indexing& x, const Domain& start) {
  if (x.exactness == Exactness::unknown) {
    form_ = std::hash<std::string>{}(x.reason);
    return;
  }
  for (std::size_t d = 0; d < start.dim_count(); ++d) {
    box_ = mix(box_, hash_of(start.variables()[d].bounds));
  }
  for (const Expr& result : x.map.results()) results_ = mix(results_, result.hash());
  constrained_ = !x.map.constraints().empty();
  if (!x.runtime.empty() || !x.replica.empty()) {
    form_ = mix(mix(form_of(x.map), x.runtime.size()), results_);
    return;
  }
  complete_ = false;
  few_points_ = few_points(x.map).has_value();
  if (!few_points_) form_ = form_of(x.map);
}

void Fingerprint::add_elements(const Indexing& x, const Domain& start) {
  if (complete_) return;
  elements_ = elements_of(x.map, start);
  complete_ = true;
}

}  // namespace tessera::detail
