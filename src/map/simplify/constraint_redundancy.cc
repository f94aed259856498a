// SPDX-License-Identifier: Apache-2.0
#include "map/simplify/constraint_redundancy.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "expr/convert.h"
#include "expr/range.h"
#include "map/simplify/plane_points.h"

namespace tessera::detail {
namespace {

constexpr std::size_t kMostForRedundancy = 12;

// Each constraint against the others as facts; one at a time against the current list, so that nothing proves
// itself. False when no point is left.
bool compare_with_others(Workspace& ws, std::vector<LinearConstraint>& list, bool& replaced) {
  const ScopedFacts facts(ws);
  for (std::size_t i = 0; i < list.size();) {
    ws.facts.clear();
    for (std::size_t j = 0; j < list.size(); ++j) {
      if (j != i) ws.facts.push_back({list[j].form, list[j].range});
    }
    ws.changed();
    const Form* rebuilt = rebuild(ws, list[i].form);
    const Interval r = range(ws, rebuilt);
    if (ws.stopped()) return true;
    if (ws.infeasible || !list[i].range.intersects(r)) return false;
    if (list[i].range.contains(r)) {
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    const bool shorter = rebuilt != list[i].form && rebuilt->size <= list[i].form->size &&
                         rebuilt->quotients <= list[i].form->quotients &&
                         rebuilt->size + rebuilt->quotients < list[i].form->size + list[i].form->quotients;
    if (shorter) {
      list[i].form = rebuilt;
      if (!strip(ws, list[i])) return false;
      replaced = true;
    } else if (drop_fine(ws, list[i], r, replaced) == ConstraintEffect::empties || !strip(ws, list[i])) {
      return false;
    }
    ++i;
  }
  return true;
}

}  // namespace

// The largest constraint first.
bool drop_redundant(Workspace& ws, std::vector<LinearConstraint>& list, bool& replaced) {
  replaced = false;
  if (list.size() < 2 || list.size() > kMostForRedundancy) return true;
  std::ranges::sort(list, [](const LinearConstraint& a, const LinearConstraint& b) {
    if (a.form->size != b.form->size) return a.form->size > b.form->size;
    if (a.form->quotients != b.form->quotients) return a.form->quotients > b.form->quotients;
    return before(a, b);
  });
  if (!compare_with_others(ws, list, replaced)) return false;
  for (LinearConstraint& c : list) c.form = rebuild(ws, c.form);
  return true;
}

bool pairs_have_points(Workspace& ws, std::span<const LinearConstraint> list) {
  constexpr std::size_t kMostPairs = 16;
  std::array<std::pair<const Atom*, const Atom*>, kMostPairs> seen;
  std::size_t seen_count = 0;
  const auto linear_pair = [](const LinearConstraint& c) {
    return c.form->size == 2 && std::ranges::all_of(c.form->terms(), [](const Term& t) {
             return t.atom->kind == AtomKind::variable || t.atom->kind == AtomKind::scaled;
           });
  };
  for (const LinearConstraint& c : list) {
    if (!linear_pair(c) || seen_count == kMostPairs) continue;
    const std::pair pair(c.form->terms()[0].atom, c.form->terms()[1].atom);
    const auto known = std::span(seen).first(seen_count);
    if (std::ranges::find(known, pair) != known.end()) continue;
    seen[seen_count++] = pair;
    std::vector<HalfPlane> planes;
    planes.reserve(4 + 2 * list.size());
    for (const auto& [atom, a, b] : {std::tuple(pair.first, 1, 0), std::tuple(pair.second, 0, 1)}) {
      const Interval r = range(ws, atom);
      if (r.upper != kPosInf) planes.push_back({a, b, r.upper});
      if (r.lower != kNegInf) planes.push_back({-a, -b, -r.lower});
    }
    for (const LinearConstraint& d : list) {
      if (!linear_pair(d) || d.form->terms()[0].atom != pair.first || d.form->terms()[1].atom != pair.second)
        continue;
      const Index a = d.form->terms()[0].coefficient;
      const Index b = d.form->terms()[1].coefficient;
      if (d.range.upper != kPosInf) planes.push_back({a, b, d.range.upper});
      if (d.range.lower != kNegInf) planes.push_back({-a, -b, -d.range.lower});
    }
    if (has_integer_point(planes) == false) return false;
  }
  return true;
}

}  // namespace tessera::detail
