// SPDX-License-Identifier: Apache-2.0
#include "access/map_grid.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "access/limits.h"
#include "access/split_offsets.h"
#include "tessera/map/map_algebra.h"
#include "tessera/notation/layout.h"

namespace tessera::detail {
namespace {

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

// A map over (lane, warp, values...), all from 0 on, for the instructions of some warps.
class WarpMap {
 public:
  // `lanes` lanes of `warps` warps from number `first` on, for an access whose variables are `given`. Empty
  // if some vector may not be consecutive.
  static std::optional<WarpMap> make(const IndexMap& offsets, std::span<const Variable> given,
                                     Index lanes_of_a_warp, Index first, Index warps, Index lanes,
                                     Index vector) {
    std::vector<Variable> own = {{Interval::of_extent(lanes)}, {Interval::of_extent(warps)}};
    std::vector<Expr> moved = {Expr::variable(kLaneVariable) +
                               (Expr::variable(kWarpVariable) + first) * lanes_of_a_warp};
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
  if (std::ranges::any_of(options.segments,
                          [](Index size) { return size < 1 || size > kAccessLimits.residues; }))
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
