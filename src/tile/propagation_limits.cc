// SPDX-License-Identifier: Apache-2.0
// Limits of a tile: the ends of the array, and the constraints of the map.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "tessera/map/map_algebra.h"
#include "tile/limits.h"
#include "tile/propagation.h"

namespace tessera::detail {
namespace {

Expr tighter(Expr a, Expr b, bool largest) {
  if (a.is_constant() && b.is_constant())
    return Expr::constant(largest ? std::max(a.value(), b.value()) : std::min(a.value(), b.value()));
  return largest ? max(a, b) : min(a, b);
}

void limit(TileDimension& dim, Interval range) {
  if (range.lower != kNegInf) dim.lower = tighter(dim.lower, Expr::constant(range.lower), true);
  if (range.upper < kPosInf - 1) dim.upper = tighter(dim.upper, Expr::constant(range.upper + 1), false);
}

// x mod m, given that base mod m is `value`. Empty if that does not determine it.
std::optional<Index> remainder(const ExprView& base, Index value, const ExprView& x, Index m) {
  if (base.terms.size() != x.terms.size()) return {};
  for (Index unit = 1; unit < m; ++unit) {
    if (std::gcd(unit, m) != 1) continue;
    const bool fits = std::ranges::all_of(x.terms, [&](const DigitTerm& term) {
      return std::ranges::any_of(base.terms, [&](const DigitTerm& other) {
        return term.is_variable() && other.is_variable() && other.base == term.base &&
               mod(mod(other.coefficient, m) * unit - mod(term.coefficient, m), m) == 0;
      });
    });
    if (fits) return mod(mod(value - base.constant, m) * unit + mod(x.constant, m), m);
  }
  return {};
}

}  // namespace

// A tile may extend beyond the part of the array where the map is defined. The limits on the result cut the
// tile there if the result rises or falls with the dimension alone.
void Propagation::note_limits(const ExprView& view, const ResultTile& progression) {
  Index largest = 0;
  for (const DigitTerm& term : view.terms) largest = std::max(largest, std::abs(term.coefficient));
  for (const DigitTerm& term : view.terms) {
    if (!term.is_variable() || !progression.masked || std::abs(term.coefficient) != largest) continue;
    const auto v = static_cast<std::size_t>(term.base.value());
    if (frame_.uses[v] == 1 && (!frame_.blocks[v].bounded || view.terms.size() == 1)) limited_[v] = true;
  }
}

// If no result shows that a tile leaves the domain, adds conditions instead.
void Propagation::check_cuts() {
  for (std::size_t v = 0; v < frame_.blocks.size(); ++v) {
    const VariableBlock& block = frame_.blocks[v];
    if ((!block.cut && !block.bounded) || limited_[v]) continue;
    if (block.stride != 1 || block.bounded)
      return give_up(fmt::format("the tile is limited in {}, which is not one dimension of what is read",
                                 frame_.map.domain().name(v)));
    const Interval bounds = frame_.map.variables()[v].bounds;
    if (bounds.lower > 0)
      require(tile_.active,
              TileConstraint::in(frame_.simple(block.offset + block.size), {bounds.lower + 1, kPosInf}));
    if (bounds.upper < block.extent - 1)
      require(tile_.active, TileConstraint::in(block.offset, {kNegInf, bounds.upper}));
    if (frame_.uses[v] == 0) continue;
    if (!has_whole_tile(v))
      return give_up(fmt::format("the map is defined only where {} in {}, which cuts every tile",
                                 frame_.map.domain().name(v), to_string(bounds)));
    for (const Index end : {bounds.lower, bounds.upper + 1})
      require(tile_.edges, TileConstraint::in(mod(Expr::constant(end), block.size), {0, 0}));
  }
}

// Whether some tile lies within the interval where the map is defined. Without one, what tiles read is never
// what the tile says. A tile of open size may have one index.
bool Propagation::has_whole_tile(std::size_t variable) const {
  const VariableBlock& block = frame_.blocks[variable];
  const Interval bounds = frame_.map.variables()[variable].bounds;
  const Index size = block.size.is_constant() ? block.size.value() : 1;
  if (block.offset.is_constant()) {
    const Index first = block.offset.value();
    return bounds.contains(Interval{first, first + size - 1});
  }
  const Index lower = std::max<Index>(bounds.lower, 0);
  const Index first = block.aligned ? ceil_div(lower, size) * size : lower;
  return first + size - 1 <= bounds.upper;
}

// Converts constraints of the map to limits on a result, if a tile can express them.
void Propagation::mask() {
  const Domain everywhere = unconstrained();
  for (const Constraint& c : frame_.map.constraints()) {
    bool known = false;
    for (std::size_t i = 0; i < tile_.dims.size() && !known; ++i) {
      const Expr result = frame_.map.results()[i];
      const Expr difference = simplify(c.expr - result, everywhere);
      const Expr sum = simplify(c.expr + result, everywhere);
      if (difference.is_constant()) {
        limit(tile_.dims[i], c.range - Interval::point(difference.value()));
      } else if (sum.is_constant()) {
        limit(tile_.dims[i], Interval::point(sum.value()) - c.range);
      } else if (const auto scaled = result_range(c, views_[i])) {
        limit(tile_.dims[i], *scaled);
      } else {
        continue;
      }
      known = true;
    }
    if (!known && !dilated(c)) {
      const auto name = [&](Index v) { return frame_.map.domain().name(static_cast<std::size_t>(v)); };
      give_up(
          fmt::format("the map is defined only where {} in {}", to_string(c.expr, name), to_string(c.range)));
    }
  }
}

// The values of a result where the constraint holds. Empty unless the constraint's expression is, up to a
// constant, a multiple or a fraction of the result.
std::optional<Interval> Propagation::result_range(const Constraint& c, const ExprView& result) const {
  const auto condition = view(c.expr, frame_.box);
  if (!condition || result.terms.empty() || condition->terms.size() != result.terms.size()) return {};
  const Index ours = result.terms[0].coefficient;
  Index theirs = 0;
  for (const DigitTerm& term : result.terms) {
    const auto same = std::ranges::find_if(condition->terms, [&](const DigitTerm& other) {
      return other.base == term.base && other.divisor == term.divisor && other.modulus == term.modulus &&
             other.at_least_zero == term.at_least_zero;
    });
    if (same == condition->terms.end()) return {};
    if (theirs == 0) theirs = same->coefficient;
    if (static_cast<__int128>(same->coefficient) * ours != static_cast<__int128>(term.coefficient) * theirs)
      return {};
  }
  // result = constant + ours * (condition - its constant) / theirs
  const auto at = [&](Index value, bool down) -> std::optional<Index> {
    Index scaled = 0;
    if (sub_overflows(value, condition->constant, scaled) || mul_overflows(scaled, ours, scaled)) return {};
    return result.constant + (down ? floor_div(scaled, theirs) : ceil_div(scaled, theirs));
  };
  const bool rises = (ours > 0) == (theirs > 0);
  Interval out = {kNegInf, kPosInf};
  const Index low = rises ? c.range.lower : c.range.upper;
  const Index high = rises ? c.range.upper : c.range.lower;
  if (low != kNegInf && low != kPosInf) {
    const auto value = at(low, false);
    if (!value) return {};
    out.lower = *value;
  }
  if (high != kNegInf && high != kPosInf) {
    const auto value = at(high, true);
    if (!value || *value < out.lower) return {};
    out.upper = *value;
  }
  return out;
}

// Dilation: x mod m is r, and floor(x / m) is read. If the tile has all x from a first to a last one, the x
// that are read are m * q + r for consecutive q.
bool Propagation::dilated(const Constraint& c) {
  const auto condition = view(c.expr, frame_.box);
  if (!c.range.is_point() || !condition || condition->terms.size() != 1) return false;
  const DigitTerm& digit = condition->terms[0];
  if (std::abs(digit.coefficient) != 1 || digit.divisor != 1 || digit.modulus < 2 ||
      digit.modulus > kTileLimits.modulus)
    return false;
  const Index value = (c.range.lower - condition->constant) * digit.coefficient;
  const auto base = view(digit.base, frame_.box);
  if (!base) return false;
  for (std::size_t i = 0; i < views_.size(); ++i) {
    if (views_[i].terms.size() != 1) continue;
    const DigitTerm& term = views_[i].terms[0];
    if (term.divisor != digit.modulus || term.modulus != 0 || term.opaque || term.coefficient != 1) continue;
    const auto x = view(term.base, frame_.box);
    const auto rest = x ? remainder(*base, value, *x, digit.modulus) : std::nullopt;
    if (rest) return read_quotients(i, term, *x, *rest, views_[i].constant);
  }
  return false;
}

// Result i is floor(x / m) + shift if x mod m is `rest`. `base` is x.
bool Propagation::read_quotients(std::size_t i, const DigitTerm& digit, const ExprView& base, Index rest,
                                 Index shift) {
  std::vector<Piece> pieces;
  bool is_open = false;  // some variable belongs to a tile
  for (const DigitTerm& term : base.terms) {
    if (!term.is_variable()) return false;
    const auto v = static_cast<std::size_t>(term.base.value());
    const VariableBlock& block = frame_.blocks[v];
    if (block.runtime) continue;
    if (block.stride != 1 || block.bounded || frame_.uses[v] != 1) return false;
    is_open = is_open || block.tiled;
    pieces.push_back(make_piece(frame_, term, base.terms.size() == 1));
  }
  if (!is_open) return false;
  const ResultTile values = join(frame_, pieces);
  if (values.crowded) give_up(kTooManyCases);
  if (!values.stride.is_constant(1) && !values.stride.is_constant(-1)) return false;
  const Interval all = range(digit.base, frame_.map.domain(), false);
  if (!all.is_finite()) return false;
  const Index m = digit.divisor;
  const Expr start = frame_.at_offset(digit.base) + values.shift;
  const Expr end = start + values.size - 1;
  const bool rises = values.stride.is_constant(1);
  const Expr low = rises ? start : start - values.size + 1;
  const Expr high = rises ? end : start;
  if (frame_.uniform) {
    for (const Piece& piece : pieces)
      if (!piece.whole)
        require(tile_.constraint, TileConstraint::in(mod(piece.size * piece.coefficient, m), {0, 0}));
  }
  require(tile_.constraint, values.constraint);
  require(tile_.edges, values.edges);
  TileDimension& dim = tile_.dims[i];
  const Expr first = ceil_div(low - rest, m);
  dim.offset = frame_.simple(first + shift);
  dim.size = frame_.simple(floor_div(high - rest, m) - first + 1);
  dim.stride = Expr::constant(1);
  limit(dim, {ceil_div(all.lower - rest, m) + shift, floor_div(all.upper - rest, m) + shift});
  if (pieces.size() == 1) limited_[static_cast<std::size_t>(base.terms[0].base.value())] = true;
  return true;
}

// The domain without the constraints.
Domain Propagation::unconstrained() const {
  Domain out = frame_.map.domain();
  out.clear_constraints();
  return out;
}

}  // namespace tessera::detail
