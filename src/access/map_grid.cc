// SPDX-License-Identifier: Apache-2.0
#include "access/map_grid.h"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <variant>
#include <vector>

#include "expr/view.h"
#include "tessera/map/map_algebra.h"
#include "tessera/map/simplify.h"
#include "tessera/notation/layout_queries.h"

namespace tessera::detail {
namespace {

/// Further segment sizes above this are counted one by one, because the starts modulo them take too long.
constexpr Index kMostSegmentSize = 4096;

/// Addresses beyond this are not counted, so that their sums with the base fit in 64 bits.
constexpr Index kMostAddress = Index{1} << 61;

constexpr Index kLane = 0;
constexpr Index kWarp = 1;

// The access as a map from (thread, values...) to the indices of the layout's box. The first variable is the
// thread, the second one the value that varies fastest.
std::optional<IndexMap> indices_of(const Access& access, const Layout& layout) {
  if (const auto* const map = std::get_if<IndexMap>(&access.tv)) {
    if (map->dim_count() == 0 || map->results().size() != layout.rank()) return std::nullopt;
    return *map;
  }
  const Layout& tv = std::get<Layout>(access.tv);
  if (tv.rank() == 0) return std::nullopt;
  const Result<IndexMap> number = access_map(IndexMap::identity(tv.shape()), tv);
  if (!number) return std::nullopt;
  std::vector<Expr> index;
  Expr rest = number->results()[0];
  for (std::size_t d = 0; d < layout.rank(); ++d) {
    index.push_back(d + 1 < layout.rank() ? mod(rest, layout.shape()[d]) : rest);
    rest = floor_div(rest, layout.shape()[d]);
  }
  return simplify(IndexMap::make_unchecked(number->domain(), std::move(index)));
}

bool is_inside(const IndexMap& map, std::span<const Index> box) {
  for (std::size_t d = 0; d < box.size(); ++d) {
    const Interval reached = range(map.results()[d], map.domain());
    if (reached.lower < 0 || reached.upper >= box[d]) return false;
  }
  return true;
}

bool mentions(Expr e, Index variable) {
  const std::vector<Index> all = variables(e);
  return std::ranges::binary_search(all, variable);
}

// A map over (lane, warp, values...), all from 0 on, for the instructions of some warps.
class WarpMap {
 public:
  // `lanes` lanes of `warps` warps from number `first` on, for an access whose variables are `given`. Empty
  // if some vector may not be consecutive.
  static std::optional<WarpMap> make(const IndexMap& offsets, std::span<const Variable> given,
                                     Index lanes_of_a_warp, Index first, Index warps, Index lanes,
                                     Index vector) {
    std::vector<Variable> own = {{Interval::of_extent(lanes)}, {Interval::of_extent(warps)}};
    std::vector<Expr> moved = {Expr::variable(kLane) + (Expr::variable(kWarp) + first) * lanes_of_a_warp};
    for (std::size_t v = 1; v < given.size(); ++v) {
      const auto count = given[v].bounds.count();
      if (!count) return std::nullopt;
      const Index step = v == 1 ? vector : 1;
      if (*count % step != 0) return std::nullopt;
      moved.push_back(Expr::variable(static_cast<Index>(own.size())) * step + given[v].bounds.lower);
      own.push_back({Interval::of_extent(*count / step)});
    }
    if (vector > 1 && (given.size() < 2 || !are_consecutive(offsets, own, moved, vector)))
      return std::nullopt;
    WarpMap out;
    out.map_ = substituted(offsets, std::move(own), moved);
    return out;
  }

  const IndexMap& map() const { return map_; }

 private:
  static IndexMap substituted(const IndexMap& offsets, std::vector<Variable> own,
                              std::span<const Expr> moved) {
    Domain domain(std::move(own), {}, {});
    for (std::size_t v = 0; v < moved.size(); ++v) domain.constrain(moved[v], offsets.variables()[v].bounds);
    for (const Constraint& c : offsets.constraints()) domain.constrain(substitute(c.expr, moved), c.range);
    return simplify(IndexMap::make_unchecked(std::move(domain), {substitute(offsets.results()[0], moved)}));
  }

  // Whether value r of each vector is at the offset of value 0 plus r, and active with it.
  static bool are_consecutive(const IndexMap& offsets, std::vector<Variable> own, std::vector<Expr> moved,
                              Index vector) {
    const Expr first = substitute(offsets.results()[0], moved);
    const Expr r = Expr::variable(static_cast<Index>(own.size()));
    own.push_back({Interval::of_extent(vector)});
    moved[1] = moved[1] + r;
    const IndexMap values = substituted(offsets, own, moved);
    const bool active_together = std::ranges::none_of(
        values.constraints(), [&](const Constraint& c) { return mentions(c.expr, r.value()); });
    const Expr difference = substitute(offsets.results()[0], moved) - first - r;
    return values.known_empty() ||
           (active_together && values.variables().back().bounds == Interval::of_extent(vector) &&
            simplify(difference, Domain(std::move(own), {}, {})).is_constant(0));
  }

  IndexMap map_;
};

// A set of variables on which the start of a warp depends together, apart from all others.
struct StartPart {
  std::vector<Index> variables = {};
  std::vector<DigitTerm> terms = {};
  std::vector<Constraint> constraints = {};

  bool shares(std::span<const Index> others) const {
    return std::ranges::any_of(others,
                               [&](Index v) { return std::ranges::find(variables, v) != variables.end(); });
  }
  void take(StartPart&& other) {
    const auto append = [](auto& to, auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    append(variables, other.variables);
    append(terms, other.terms);
    append(constraints, other.constraints);
    std::ranges::sort(variables);
    variables.erase(std::ranges::unique(variables).begin(), variables.end());
  }
};

// The terms of a part as the mixed radix of its one variable, lowest digit first, in elements. Empty if the
// part has more variables, or if its terms overlap.
std::optional<std::vector<GridDigit>> mixed_radix(const StartPart& part, Index extent) {
  if (part.variables.size() != 1 || !part.constraints.empty()) return std::nullopt;
  std::vector<const DigitTerm*> terms;
  for (const DigitTerm& term : part.terms) {
    if (term.opaque || term.at_least_zero || !term.base.is_variable()) return std::nullopt;
    terms.push_back(&term);
  }
  std::ranges::sort(terms, {}, &DigitTerm::divisor);
  std::vector<GridDigit> out;
  Index below = 1;  // numbers that the digits so far tell apart; 0: all
  for (const DigitTerm* const term : terms) {
    if (below == 0 || term->divisor % below != 0) return std::nullopt;
    if (term->divisor > below) out.push_back({term->divisor / below, 0});
    const Index digit = term->modulus != 0 ? term->modulus : ceil_div(extent, term->divisor);
    out.push_back({std::max<Index>(digit, 1), term->coefficient});
    if (term->modulus == 0) {
      below = 0;
    } else if (mul_overflows(term->divisor, term->modulus, below)) {
      return std::nullopt;
    }
  }
  if (below != 0 && below < extent) out.push_back({ceil_div(extent, below), 0});
  return out;
}

// The offset of a lane as f(lane) + g(warp, values), with g split into parts that share no variables.
class SplitOffsets {
 public:
  static std::optional<SplitOffsets> make(const IndexMap& map, Index most_points) {
    SplitOffsets out(map, most_points);
    for (const Variable& v : map.variables()) out.box_.push_back(v.bounds);
    const auto sum = view(map.results()[0], out.box_);
    if (!sum || !sum->has_values) return std::nullopt;
    out.constant_ = sum->constant;
    for (const DigitTerm& term : sum->terms) {
      if (term.variables == std::vector<Index>{kLane}) {
        out.lane_ = out.lane_ + term.digit() * term.coefficient;
      } else if (term.mentions(kLane)) {
        return std::nullopt;
      } else {
        out.add({.variables = term.variables, .terms = {term}});
      }
    }
    for (const Constraint& c : map.constraints()) {
      const std::vector<Index> used = variables(c.expr);
      if (used == std::vector<Index>{kLane}) {
        out.lane_constraints_.push_back(c);
      } else if (mentions(c.expr, kLane)) {
        return std::nullopt;
      } else {
        out.add({.variables = used, .constraints = {c}});
      }
    }
    for (std::size_t v = kWarp; v < out.box_.size(); ++v) out.add({.variables = {static_cast<Index>(v)}});
    return out;
  }

  // Offsets of the lanes, in bytes, and which lanes are active.
  std::optional<LanePattern> lanes(Index element_bytes, std::uint64_t active, Index vector) const {
    LanePattern out{.bytes = {}, .active = 0, .width = static_cast<int>(element_bytes * vector)};
    for (Index lane = 0; lane <= box_[kLane].upper; ++lane) {
      const Index values[] = {lane};
      const auto offset = evaluate(lane_, values);
      Index bytes = 0;
      if (!offset || mul_overflows(*offset, element_bytes, bytes) || std::abs(bytes) > kMostAddress)
        return std::nullopt;
      out.bytes.push_back(bytes);
      const bool on = lane >= box_[kLane].lower && std::ranges::all_of(lane_constraints_, [&](const auto& c) {
                        const auto value = evaluate(c.expr, values);
                        return value && c.range.contains(*value);
                      });
      if (on) out.active |= active & std::uint64_t{1} << lane;
    }
    return out;
  }

  // Where the instructions of the warps below `end` start, in bytes. Empty if that takes too long.
  std::optional<StartCounts> starts(Index modulus, Index element_bytes, Index end) const {
    StartCounts out = StartCounts::one(modulus);
    for (const StartPart& part : parts_) {
      const auto own = starts_of(part, modulus, element_bytes, end);
      if (!own) return std::nullopt;
      out.combine(*own);
    }
    StartCounts moved(modulus);
    moved.add(out, mod(constant_, modulus) * element_bytes);
    return moved;
  }

  Index warps() const { return box_[kWarp].upper + 1; }

 private:
  SplitOffsets(const IndexMap& map, Index most_points) : map_(map), most_points_(most_points) {}

  // Merges the new part with all that share its variables.
  void add(StartPart part) {
    std::vector<StartPart> others;
    for (StartPart& own : parts_) {
      if (own.shares(part.variables)) {
        part.take(std::move(own));
      } else {
        others.push_back(std::move(own));
      }
    }
    others.push_back(std::move(part));
    parts_ = std::move(others);
  }

  Interval bounds(Index variable, Index end) const {
    Interval out = box_[static_cast<std::size_t>(variable)];
    if (variable == kWarp) out.upper = std::min(out.upper, end - 1);
    return out;
  }

  std::optional<StartCounts> starts_of(const StartPart& part, Index modulus, Index element_bytes,
                                       Index end) const {
    if (part.variables.empty()) return std::nullopt;
    const Interval own = bounds(part.variables[0], end);
    if (own.upper < own.lower) return StartCounts(modulus);
    if (auto digits = mixed_radix(part, own.upper + 1)) {
      for (GridDigit& digit : *digits) digit.step = mod(digit.step, modulus) * element_bytes;
      StartCounts out = StartCounts::first(*digits, own.upper + 1, modulus);
      if (own.lower > 0) out.remove(StartCounts::first(*digits, own.lower, modulus));
      return out;
    }
    return enumerated(part, modulus, element_bytes, end);
  }

  std::optional<StartCounts> enumerated(const StartPart& part, Index modulus, Index element_bytes,
                                        Index end) const {
    Index points = 1;
    std::vector<Index> values(box_.size(), 0);
    for (const Index v : part.variables) {
      const Interval own = bounds(v, end);
      if (own.upper < own.lower) return StartCounts(modulus);
      if (mul_overflows(points, own.upper - own.lower + 1, points) || points > most_points_)
        return std::nullopt;
      values[static_cast<std::size_t>(v)] = own.lower;
    }
    Expr sum;
    for (const DigitTerm& term : part.terms) sum = sum + term.digit() * term.coefficient;
    StartCounts out(modulus);
    for (Index k = 0; k < points; ++k) {
      const bool inside = std::ranges::all_of(part.constraints, [&](const Constraint& c) {
        const auto value = evaluate(c.expr, values);
        return value && c.range.contains(*value);
      });
      if (inside) {
        const auto offset = evaluate(sum, values);
        if (!offset) return std::nullopt;
        out.add(mod(*offset, modulus) * element_bytes);
      }
      for (const Index v : part.variables) {
        const Interval own = bounds(v, end);
        if (++values[static_cast<std::size_t>(v)] <= own.upper) break;
        values[static_cast<std::size_t>(v)] = own.lower;
      }
    }
    return out;
  }

  IndexMap map_;
  Index most_points_;
  std::vector<Interval> box_ = {};
  Index constant_ = 0;
  Expr lane_ = {};
  std::vector<Constraint> lane_constraints_ = {};
  std::vector<StartPart> parts_ = {};
};

// The question of one call.
struct Counted {
  const AccessOptions& options;
  const Access& access;
  std::span<const Variable> variables;
  Index element_bytes;
  Index most_points;
};

// Adds the instructions of `lanes` lanes of `warps` warps from number `first` on.
bool add_warps(const Counted& asked, const IndexMap& offsets, Index first, Index warps, Index lanes,
               AccessSums& out) {
  const auto warp_map = WarpMap::make(offsets, asked.variables, asked.options.target.lanes(), first, warps,
                                      lanes, asked.access.vector);
  if (!warp_map) return false;
  if (warp_map->map().known_empty()) return true;
  const auto split = SplitOffsets::make(warp_map->map(), asked.most_points);
  if (!split) return false;
  auto pattern = split->lanes(asked.element_bytes, asked.access.active, asked.access.vector);
  if (!pattern) return false;
  if (pattern->active == 0) return true;
  for (Index& bytes : pattern->bytes) bytes += asked.access.base;
  PatternStarts starts;
  const std::span<const Index> sizes = asked.options.segments;
  for (std::size_t i = 0; i <= sizes.size(); ++i) {
    const auto own = split->starts(i == 0 ? kLineBytes : sizes[i - 1], asked.element_bytes, split->warps());
    if (!own) return false;
    if (i == 0) {
      starts.lines = *own;
    } else {
      starts.segments.push_back(*own);
    }
  }
  const auto most = add_instructions(*pattern, starts, sizes, out.sum);
  if (!most) return false;
  out.instructions += starts.lines.total();
  for (Index r = 0; r < kLineBytes; ++r) {
    if (starts.lines[r] == 0) continue;
    for (std::size_t l = 0; l < pattern->bytes.size(); ++l)
      out.aligned =
          out.aligned && ((pattern->active >> l & 1) == 0 || mod(pattern->bytes[l] + r, pattern->width) == 0);
  }
  if (*most > out.worst_sectors) {
    out.worst_sectors = *most;
    out.worst_warp = first + first_number(split->warps(), [&](Index end) {
                       const auto own = split->starts(kLineBytes, asked.element_bytes, end);
                       return own && has_sectors(*pattern, *own, *most);
                     });
  }
  return true;
}

}  // namespace

std::optional<AccessSums> count_in_closed_form(const Access& access, const Layout& layout,
                                               const AccessOptions& options, Index most_points) {
  if (access.window || access.vector < 1 || options.element_bits % 8 != 0) return std::nullopt;
  if (std::ranges::any_of(options.segments, [](Index size) { return size < 1 || size > kMostSegmentSize; }))
    return std::nullopt;
  const auto indices = indices_of(access, layout);
  if (!indices) return std::nullopt;
  AccessSums out;
  out.sum.segments.resize(options.segments.size());
  out.sum.ideal_segments = out.sum.segments;
  if (indices->known_empty()) return out;
  const Interval threads = indices->variables()[0].bounds;
  if (!threads.is_finite() || threads.lower < 0 || !is_inside(*indices, layout.shape())) return std::nullopt;
  const Result<IndexMap> offsets = access_map(*indices, layout);
  if (!offsets || offsets->known_empty() || offsets->variables().size() != indices->variables().size())
    return std::nullopt;
  const Counted asked{options, access, indices->variables(), options.element_bits / 8, most_points};
  const Index lanes = options.target.lanes();
  const Index count = threads.upper + 1;
  const Index whole = count / lanes;
  if (whole > 0 && !add_warps(asked, *offsets, 0, whole, lanes, out)) return std::nullopt;
  if (count % lanes > 0 && !add_warps(asked, *offsets, whole, 1, count % lanes, out)) return std::nullopt;
  return out;
}

}  // namespace tessera::detail
