// SPDX-License-Identifier: Apache-2.0
#include "map/parts.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "expr/limits.h"
#include "tessera/map/map_algebra.h"

namespace tessera::detail {
namespace {

constexpr std::size_t kVariableBits = 63;  // ExprNode::variables has a bit for each

/// The variables of a map are bits here.
using Bits = std::uint64_t;

/// Some variables of a map under numbers of their own, with everything that uses them.
struct MapPart {
  std::vector<Interval> bounds = {};
  std::vector<Constraint> constraints = {};
  std::vector<Expr> results = {};
  bool known_empty = false;

  friend bool operator==(const MapPart&, const MapPart&) = default;
};

MapPart simplified(const MapPart& part) {
  std::vector<Variable> variables;
  for (const Interval bounds : part.bounds) variables.push_back({.bounds = bounds});
  Domain domain(std::move(variables), {}, {});
  for (const Constraint& c : part.constraints) domain.constrain(c.expr, c.range);
  const IndexMap simple = simplify(IndexMap::make_unchecked(std::move(domain), part.results));
  MapPart out{.constraints = {simple.constraints().begin(), simple.constraints().end()},
              .results = {simple.results().begin(), simple.results().end()},
              .known_empty = simple.known_empty()};
  for (const Variable& v : simple.variables()) out.bounds.push_back(v.bounds);
  return out;
}

/// The parts that the thread simplified last. Two parts with the same place replace each other.
class Remembered {
 public:
  /// Valid until the next call.
  const MapPart& simple(const MapPart& part) {
    const std::uint64_t hash = hash_of(part);
    Entry& entry = entries_[hash % entries_.size()];
    if (entry.hash == hash && entry.part == part) return entry.simple;
    entry = {hash, part, simplified(part)};
    return entry.simple;
  }

 private:
  struct Entry {
    std::uint64_t hash = 0;
    MapPart part = {};
    MapPart simple = {};
  };

  static std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t z = (a ^ (a >> 31) ^ b) * 0x9e3779b97f4a7c15u;
    return z ^ (z >> 29);
  }
  static std::uint64_t mix(std::uint64_t a, Interval b) {
    return mix(mix(a, static_cast<std::uint64_t>(b.lower)), static_cast<std::uint64_t>(b.upper));
  }
  static std::uint64_t hash_of(const MapPart& part) {
    std::uint64_t hash = part.bounds.size();
    for (const Interval bounds : part.bounds) hash = mix(hash, bounds);
    for (const Constraint& c : part.constraints) hash = mix(mix(hash, c.expr.hash()), c.range);
    for (const Expr e : part.results) hash = mix(hash, e.hash());
    return hash;
  }

  std::vector<Entry> entries_ = std::vector<Entry>(kLimits.remembered_parts);
};

/// Memory that the thread uses again for every map.
struct Scratch {
  std::vector<Bits> of_constraints;
  std::vector<Bits> of_results;
  std::vector<Bits> groups;  ///< disjoint and not empty
  std::vector<Interval> bounds;
  std::vector<Constraint> constraints;
  std::vector<Expr> to_part;  ///< by number in the map
  std::vector<Expr> to_map;   ///< by number in the part
  MapPart part;
  std::vector<Expr> given;  ///< the constraints of the part as they are in the map
  Remembered remembered;

  static Scratch& local() {
    thread_local Scratch scratch;
    return scratch;
  }
};

/// Joins all groups that share a variable with `bits`.
void join(std::vector<Bits>& groups, Bits bits) {
  std::erase_if(groups, [&](Bits group) {
    if ((group & bits) == 0) return false;
    bits |= group;
    return true;
  });
  groups.push_back(bits);
}

/// Finds the variables of each constraint and result, and the groups that they form. False if the map is too
/// large, or if an operation has no variable.
bool split(const IndexMap& map, Scratch& s) {
  if (map.variables().size() > kVariableBits) return false;
  s.of_constraints.clear();
  s.of_results.clear();
  s.groups.clear();
  for (const Constraint& c : map.constraints()) {
    const Bits bits = c.expr.node().variables;
    if (bits == 0) return false;
    s.of_constraints.push_back(bits);
    join(s.groups, bits);
  }
  for (const Expr e : map.results()) {
    const Bits bits = e.node().variables;
    if (e.is_binary() && bits == 0) return false;
    s.of_results.push_back(bits);
    if (e.is_binary()) join(s.groups, bits);
  }
  return true;
}

template <class Visit>
void for_each_variable(Bits group, const Visit& visit) {
  for (; group != 0; group &= group - 1) visit(static_cast<std::size_t>(std::countr_zero(group)));
}

/// Fills `s.part` with what uses the variables of the group.
void cut_out(const Domain& domain, std::span<const Expr> results, Bits group, bool renumber, Scratch& s) {
  s.part.bounds.clear();
  s.part.constraints.clear();
  s.part.results.clear();
  s.given.clear();
  s.to_map.clear();
  s.to_part.resize(domain.variables().size());
  for_each_variable(group, [&](std::size_t v) {
    s.part.bounds.push_back(domain.variables()[v].bounds);
    if (!renumber) return;
    s.to_part[v] = Expr::variable(static_cast<Index>(s.to_map.size()));
    s.to_map.push_back(Expr::variable(static_cast<Index>(v)));
  });
  const auto in_part = [&](Expr e) { return renumber ? substitute(e, s.to_part) : e; };
  for (std::size_t i = 0; i < domain.constraints().size(); ++i) {
    const Constraint& c = domain.constraints()[i];
    if ((s.of_constraints[i] & group) == 0) continue;
    s.part.constraints.push_back({in_part(c.expr), c.range});
    s.given.push_back(c.expr);
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    if ((s.of_results[i] & group) != 0) s.part.results.push_back(in_part(results[i]));
  }
}

}  // namespace

IndexMap simplify_parts(IndexMap map) {
  const auto is_operand = [](Expr e) { return !e.is_binary(); };
  if (map.known_empty()) return map;
  if (map.constraints().empty() && std::ranges::all_of(map.results(), is_operand)) {
    const auto is_point = [&](Expr e) {
      return e.is_variable() && map.variables()[static_cast<std::size_t>(e.value())].bounds.is_point();
    };
    if (std::ranges::none_of(map.results(), is_point)) return map;
    return simplify(map);
  }
  Scratch& s = Scratch::local();
  if (!split(map, s)) return simplify(map);
  s.bounds.clear();
  for (const Variable& v : map.variables()) s.bounds.push_back(v.bounds);
  s.constraints.clear();
  std::vector<Expr> results = std::move(map).take_results();
  Domain domain = std::move(map).take_domain();
  Bits in_parts = 0;
  for (const Bits group : s.groups) {
    in_parts |= group;
    const bool renumber = (group & (group + 1)) != 0;
    cut_out(domain, results, group, renumber, s);
    const MapPart& simple = s.remembered.simple(s.part);
    if (simple.known_empty) return IndexMap::empty(domain, results.size());
    const auto in_map = [&](Expr e) { return renumber ? substitute(e, s.to_map) : e; };
    auto bounds = simple.bounds.begin();
    for_each_variable(group, [&](std::size_t v) { s.bounds[v] = *bounds++; });
    // Most expressions are simple already. Those in the map stay then.
    std::size_t next = 0;
    for (const Constraint& c : simple.constraints) {
      const bool stays = next < s.given.size() && c.expr == s.part.constraints[next].expr;
      s.constraints.push_back({stays ? s.given[next] : in_map(c.expr), c.range});
      ++next;
    }
    next = 0;
    for (std::size_t i = 0; i < results.size(); ++i) {
      if ((s.of_results[i] & group) == 0) continue;
      if (simple.results[next] != s.part.results[next]) results[i] = in_map(simple.results[next]);
      ++next;
    }
  }
  // Nothing restricts the other variables, and the results only name them.
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i].is_variable() || (s.of_results[i] & in_parts) != 0) continue;
    const Interval own = s.bounds[static_cast<std::size_t>(results[i].value())];
    if (own.is_point()) results[i] = Expr::constant(own.lower);
  }
  return IndexMap::make_unchecked(
      std::move(domain).with(s.bounds, {s.constraints.begin(), s.constraints.end()}), std::move(results));
}

}  // namespace tessera::detail
