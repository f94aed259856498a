// SPDX-License-Identifier: Apache-2.0
/// \file
/// The laws of simplification, shared by tests, fuzz targets and examples. Each returns the problem, or an
/// empty text if there is none.
#pragma once

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "map/values/enumerate.h"
#include "tessera/map/map_algebra.h"
#include "tessera/text/index_map.h"

namespace tessera::laws {

inline std::string text_of(const IndexMap& map) { return map.known_empty() ? "KNOWN EMPTY" : to_string(map); }

inline std::string text_of(const std::vector<Index>& point) {
  std::string out = "(";
  for (const Index v : point) out += (out.size() > 1 ? ", " : "") + std::to_string(v);
  return out + ")";
}

/// The box of both maps' variables. Unbounded sides end at distance 50 from 0.
inline std::vector<Interval> common_box(const IndexMap& a, const IndexMap& b) {
  std::vector<Interval> box;
  for (std::size_t i = 0; i < a.variables().size(); ++i) {
    Interval bounds = a.variables()[i].bounds;
    if (!b.known_empty()) bounds = hull(bounds, b.variables()[i].bounds);
    if (bounds.lower == kNegInf) bounds.lower = std::min<Index>(-50, bounds.upper);
    if (bounds.upper == kPosInf) bounds.upper = std::max<Index>(50, bounds.lower);
    box.push_back(bounds);
  }
  return box;
}

/// Both maps have the same domain and the same values on it. If `before` has no value at a point, `after` may
/// have any value there. Tests every point of boxes of at most 2^16 points; otherwise `samples` points, many
/// of them at the corners. Does not use the simplifier.
inline std::string check_same_meaning(const IndexMap& before, const IndexMap& after, std::mt19937_64& random,
                                      int samples = 300) {
  if (before.known_empty()) return after.known_empty() ? "" : "a known empty map came to life";
  const auto box = common_box(before, after);
  const auto differ = [&](const std::vector<Index>& point) -> std::string {
    const bool inside = before.domain().contains(point);
    if (inside != (!after.known_empty() && after.domain().contains(point)))
      return "domain at " + text_of(point);
    if (!inside) return "";
    const auto value = before.evaluate(point);
    return !value || value == after.evaluate(point) ? "" : "value at " + text_of(point);
  };
  const auto points = point_count(box);
  if (points && *points <= (Index{1} << 16)) {
    MapEvaluator first(before);
    std::optional<MapEvaluator> second;
    if (!after.known_empty()) second.emplace(after);
    BoxRows rows(box);
    while (rows.next()) {
      first.run(rows);
      if (second) second->run(rows);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const bool inside = first.inside(i);
        if (inside != (second && second->inside(i))) return "domain at " + text_of(rows.point(i));
        if (!inside) continue;
        const auto value = first.values(i);
        if (value && value != second->values(i)) return "value at " + text_of(rows.point(i));
      }
    }
    return "";
  }
  std::vector<Index> point(box.size());
  for (int i = 0; i < samples; ++i) {
    for (std::size_t v = 0; v < box.size(); ++v) {
      const auto width =
          static_cast<std::uint64_t>(box[v].upper) - static_cast<std::uint64_t>(box[v].lower) + 1;
      const auto way = random() % 6;
      const std::uint64_t offset = way == 0     ? 0
                                   : way == 1   ? width - 1
                                   : width == 0 ? random()
                                                : random() % width;
      point[v] = static_cast<Index>(static_cast<std::uint64_t>(box[v].lower) + offset);
    }
    if (std::string broken = differ(point); !broken.empty()) return broken;
  }
  return "";
}

/// Simplifying again must not change the map.
inline std::string check_idempotent(const IndexMap& simplified, Points points = Points::replace) {
  const IndexMap again = simplify(simplified, points);
  return text_of(again) == text_of(simplified) ? "" : "again: " + text_of(again);
}

/// The printed map parses back to a map with the same values, even if the order of a sum decides whether a
/// step overflows. A map whose own text has other values is exempt: the parser canonicalizes sums after a
/// minus, and the printer does not put parentheses around a sum in a sum.
inline std::string check_text_has_values(const IndexMap& before, const IndexMap& simplified,
                                         std::mt19937_64& random) {
  if (before.known_empty() || simplified.known_empty()) return "";
  const auto own = parse_index_map(to_string(before));
  if (!own || !(own->domain() == before.domain()) || !check_same_meaning(before, *own, random).empty())
    return "";
  const auto read = parse_index_map(to_string(simplified));
  if (!read) return "not a map: " + to_string(simplified);
  const std::string broken = check_same_meaning(before, *read, random);
  return broken.empty() ? "" : "as a text: " + broken;
}

/// The map with its box and constraints shifted to numbers whose sums and small multiples overflow. Intervals
/// wider than 2^20 are not shifted.
inline IndexMap moved_to_the_ends(const IndexMap& map, std::mt19937_64& random) {
  constexpr Index kMiddle = Index{1} << 62;
  constexpr Index kThird = kIndexMax / 3;
  constexpr Index kEnds[] = {kIndexMin + 1, -kMiddle, -kThird, kThird, kMiddle, kIndexMax - 1};
  constexpr Index kWidest = Index{1} << 20;
  if (map.known_empty()) return map;
  std::vector<Interval> bounds;
  std::vector<Index> corner;
  for (const Variable& v : map.variables()) {
    const Index end = kEnds[random() % std::size(kEnds)];
    const bool stays = random() % 4 == 0 || v.bounds.count().value_or(kIndexMax) > kWidest;
    const Index width = stays ? 0 : v.bounds.upper - v.bounds.lower;
    const Index below = end < -kMiddle ? 0 : end > kMiddle ? width : width / 2;
    bounds.push_back(stays ? v.bounds : Interval{end - below, end - below + width});
    corner.push_back(bounds.back().lower);
  }
  Domain domain = map.domain().with(bounds, {});
  for (const Constraint& c : map.constraints()) {
    const Index value = evaluate(c.expr, corner).value_or(c.range.lower);
    const Index width = std::min(c.range.count().value_or(1), kWidest);
    domain.constrain(c.expr, {value, std::min(value, kIndexMax - width) + width});
  }
  return IndexMap::make_unchecked(std::move(domain), {map.results().begin(), map.results().end()});
}

/// The result has more operators than the input only if it has fewer divisions. Signs may appear: a variable
/// whose only value is -3 becomes the constant -3.
inline std::string check_not_larger(const IndexMap& before, const IndexMap& after) {
  const auto divisions = [](const IndexMap& map) {
    std::uint64_t count = 0;
    for (const Expr e : map.results()) count += size(e).divisions;
    for (const Constraint& c : map.constraints()) count += size(c.expr).divisions;
    return count;
  };
  const bool larger = size(after).operators > size(before).operators && divisions(after) >= divisions(before);
  return larger ? "larger: " + text_of(after) : "";
}

/// If a box of at most 2^16 points has no point in the domain, the simplifier must find that the domain is
/// empty.
inline std::string check_emptiness_found(const IndexMap& before, const IndexMap& after) {
  if (before.known_empty() || after.known_empty()) return "";
  const auto box = box_of(before.domain());
  const auto points = point_count(box);
  if (!points || *points > (Index{1} << 16)) return "";
  MapEvaluator evaluator(before);
  BoxRows rows(box);
  while (rows.next()) {
    evaluator.run(rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (evaluator.inside(i)) return "";
    }
  }
  return "empty, but not found to be";
}

/// The same expression with the operands of sums, products, min and max in another order.
inline Expr shuffled(Expr e, std::mt19937_64& random) {
  if (!e.is_binary()) return e;
  Expr a = shuffled(e.lhs(), random);
  Expr b = shuffled(e.rhs(), random);
  const bool commutes = e.kind() == ExprKind::add || e.kind() == ExprKind::mul || e.kind() == ExprKind::min ||
                        e.kind() == ExprKind::max;
  if (commutes && random() % 2 == 0) std::swap(a, b);
  return Expr::binary(e.kind(), a, b);
}

/// The order of operands and of constraints must not affect the result.
inline std::string check_order_independent(const IndexMap& before, const IndexMap& after,
                                           std::mt19937_64& random) {
  std::vector<Constraint> constraints(before.constraints().begin(), before.constraints().end());
  std::ranges::shuffle(constraints, random);
  std::vector<Interval> bounds;
  for (const Variable& v : before.variables()) bounds.push_back(v.bounds);
  Domain domain = before.domain().with(bounds, {});
  for (const Constraint& c : constraints) domain.constrain(shuffled(c.expr, random), c.range);
  std::vector<Expr> results;
  for (const Expr e : before.results()) results.push_back(shuffled(e, random));
  const IndexMap other = simplify(IndexMap::make_unchecked(domain, results));
  return text_of(other) == text_of(after) ? "" : "in another order: " + text_of(other);
}

}  // namespace tessera::laws
