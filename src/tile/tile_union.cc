// SPDX-License-Identifier: Apache-2.0
// Several tiles of one array as one tile.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "map/values/enumerate.h"
#include "tessera/map/map_algebra.h"
#include "tessera/tile/tile.h"
#include "tile/progression.h"

namespace tessera {
namespace {

/// How one dimension of two tiles becomes one dimension.
struct JoinedDimension {
  enum class Kind : std::uint8_t { equal, first_contains, second_contains, adjoin, apart };
  Kind kind = Kind::apart;
  TileDimension dim;
  bool cut_edges = false;  ///< where the array's end cuts a tile, the two parts may leave a gap
};

class TileUnion {
 public:
  explicit TileUnion(const Domain& parameters) : parameters_(parameters) {}

  // One tile with exactly the elements of both, if it can be found.
  std::optional<SymbolicTile> exact(const SymbolicTile& a, const SymbolicTile& b) const {
    if (!a.exact || !b.exact) return std::nullopt;
    std::vector<JoinedDimension> dims;
    for (std::size_t i = 0; i < a.dims.size(); ++i) dims.push_back(join(a.dims[i], b.dims[i]));
    const auto all = [&](JoinedDimension::Kind kind) {
      return std::ranges::all_of(dims, [&](const JoinedDimension& d) {
        return d.kind == JoinedDimension::Kind::equal || d.kind == kind;
      });
    };
    const auto adjoin = std::ranges::count(dims, JoinedDimension::Kind::adjoin, &JoinedDimension::kind);
    const bool first = all(JoinedDimension::Kind::first_contains);
    const bool same_activity = text(a.active, a) == text(b.active, b);
    if (first || all(JoinedDimension::Kind::second_contains)) {
      const SymbolicTile& whole = first ? a : b;
      // The smaller tile is read for parameters for which the larger one is not.
      if (!same_activity && !whole.active.always_satisfied()) return std::nullopt;
      SymbolicTile out = whole;
      out.constraint = both(a.constraint, b.constraint);
      return out;
    }
    if (adjoin != 1 || !all(JoinedDimension::Kind::adjoin) || !same_activity) return std::nullopt;
    SymbolicTile out = a;
    out.constraint = both(a.constraint, b.constraint);
    out.edges = both(a.edges, b.edges);
    for (std::size_t i = 0; i < dims.size(); ++i) {
      out.dims[i] = dims[i].dim;
      if (dims[i].cut_edges) out.edges = TileConstraint::never();
    }
    return out;
  }

  // A tile that contains both.
  SymbolicTile bound(const SymbolicTile& a, const SymbolicTile& b) const {
    SymbolicTile out = a;
    for (std::size_t i = 0; i < a.dims.size(); ++i) {
      const TileDimension x = rising(a.dims[i]);
      const TileDimension y = rising(b.dims[i]);
      TileDimension& dim = out.dims[i];
      if (is_equal(x, y)) continue;
      dim.offset = simple(min(x.offset, y.offset));
      dim.size = simple(max(x.offset + x.size, y.offset + y.size) - dim.offset);
      dim.stride = Expr::constant(1);
      dim.lower = simple(min(x.lower, y.lower));
      dim.upper = simple(max(x.upper, y.upper));
    }
    // The dimensions say what is read only where the constraints of both hold.
    if (!detail::add_cases(out.constraint, b.constraint, box_of(parameters_)))
      out.constraint = TileConstraint::never();
    out.edges = TileConstraint();
    out.active = either(a.active, b.active);
    out.exact = false;
    out.reason = !a.exact   ? a.reason
                 : !b.exact ? b.reason
                            : "the tiles do not form one tile; this contains all of them";
    return out;
  }

 private:
  Expr simple(Expr e) const { return simplify(e, parameters_); }
  bool is_same(Expr a, Expr b) const { return a == b || simple(a - b).is_constant(0); }
  bool is_equal(const TileDimension& a, const TileDimension& b) const {
    return is_same(a.offset, b.offset) && is_same(a.size, b.size) && is_same(a.lower, b.lower) &&
           is_same(a.upper, b.upper) && (a.stride == b.stride || a.size.is_constant(1));
  }
  // Whether a <= b for all parameters.
  bool is_at_most(Expr a, Expr b) const { return range(simple(b - a), parameters_).lower >= 0; }
  std::string text(const TileConstraint& c, const SymbolicTile& tile) const {
    return to_string(c, tile.namer());
  }

  // The smallest dimension with stride 1 that contains this one.
  TileDimension rising(TileDimension dim) const {
    if (dim.size.is_constant(1) || dim.stride.is_constant(1)) return dim;
    const Expr last = dim.offset + (dim.size - 1) * dim.stride;
    const Expr first = dim.offset;
    dim.offset = simple(min(first, last));
    dim.size = simple(max(first, last) - dim.offset + 1);
    dim.stride = Expr::constant(1);
    return dim;
  }

  bool contains(const TileDimension& a, const TileDimension& strided) const {
    const TileDimension b = rising(strided);
    return (a.stride.is_constant(1) || a.size.is_constant(1)) && is_at_most(a.offset, b.offset) &&
           is_at_most(b.offset + b.size, a.offset + a.size) && is_at_most(a.lower, b.lower) &&
           is_at_most(b.upper, a.upper);
  }

  JoinedDimension join(const TileDimension& a, const TileDimension& b) const {
    using Kind = JoinedDimension::Kind;
    if (is_equal(a, b)) return {Kind::equal, a};
    if (contains(a, b)) return {Kind::first_contains, a};
    if (contains(b, a)) return {Kind::second_contains, b};
    const Expr shift = simple(b.offset - a.offset);
    if (!shift.is_constant() || !is_same(a.size, b.size)) return {};
    const bool second_is_lower = shift.value() < 0;
    const TileDimension& low = second_is_lower ? b : a;
    const TileDimension& high = second_is_lower ? a : b;
    const Index distance = second_is_lower ? -shift.value() : shift.value();
    const bool unit = (low.stride.is_constant(1) || low.size.is_constant(1)) &&
                      (high.stride.is_constant(1) || high.size.is_constant(1));
    if (!unit || !is_at_most(Expr::constant(distance), low.size)) return {};
    const bool same_limits = is_same(low.lower, high.lower) && is_same(low.upper, high.upper);
    const bool moved_limits =
        is_same(low.lower + distance, high.lower) && is_same(low.upper + distance, high.upper);
    if (!same_limits && !moved_limits) return {};
    JoinedDimension out{Kind::adjoin, low};
    out.dim.size = simple(low.size + distance);
    out.dim.stride = Expr::constant(1);
    out.dim.upper = high.upper;
    // A tile that the end cuts may have fewer indices than the distance.
    out.cut_edges = moved_limits && distance > 1 &&
                    !(is_at_most(low.lower, low.offset) && is_at_most(low.offset + distance, low.upper));
    return out;
  }

  const Domain& parameters_;
};

}  // namespace

std::optional<SymbolicTile> tile_union(std::span<const SymbolicTile> tiles) {
  if (tiles.empty() || tiles[0].dims.empty()) return std::nullopt;
  for (const SymbolicTile& tile : tiles) {
    if (tile.dims.size() != tiles[0].dims.size() || tile.parameters.runtime_count() > 0 ||
        !(tile.parameters == tiles[0].parameters))
      return std::nullopt;
  }
  const TileUnion pair(tiles[0].parameters);
  std::vector<SymbolicTile> left(tiles.begin(), tiles.end());
  for (bool joined = true; joined && left.size() > 1;) {
    joined = false;
    for (std::size_t i = 0; i < left.size() && !joined; ++i) {
      for (std::size_t j = i + 1; j < left.size() && !joined; ++j) {
        auto both = pair.exact(left[i], left[j]);
        if (!both) continue;
        left[i] = *std::move(both);
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(j));
        joined = true;
      }
    }
  }
  SymbolicTile out = left[0];
  for (std::size_t i = 1; i < left.size(); ++i) out = pair.bound(out, left[i]);
  std::vector<Interval> box;
  for (const Variable& v : out.parameters.variables()) box.push_back(v.bounds);
  out.constraint = simplify(out.constraint, box);
  out.edges = simplify(out.edges, box);
  out.active = simplify(out.active, box);
  return out;
}

}  // namespace tessera
