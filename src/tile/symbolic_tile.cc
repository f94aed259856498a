// SPDX-License-Identifier: Apache-2.0
#include "tessera/tile/symbolic_tile.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "tessera/map/simplify.h"
#include "tile/piece.h"

namespace tessera {
namespace {

using detail::ExprView;
using detail::Frame;
using detail::Piece;

// Conjunctions of a constraint; more would say nothing to a reader.
constexpr std::size_t kMostCases = 512;

// One map in one frame, result by result.
class Propagation {
 public:
  explicit Propagation(Frame frame) : frame_(std::move(frame)) {}

  Result<SymbolicTile> run(std::span<const Index> extents) {
    tile_.parameters = frame_.parameters;
    limited_.assign(frame_.blocks.size(), false);
    for (const Expr result : frame_.map.results()) {
      auto own = detail::view(result, frame_.box);
      if (!own) return fail(Code::limit, "a result is too long to be split into digits");
      for (const detail::DigitTerm& term : own->terms)
        for (const Index v : term.variables) ++frame_.uses[static_cast<std::size_t>(v)];
      views_.push_back(*std::move(own));
    }
    for (std::size_t i = 0; i < views_.size(); ++i) add_result(i, i < extents.size() ? extents[i] : 0);
    separate();
    mask();
    check_cuts();
    const std::vector<Interval> box = parameter_box();
    tile_.constraint = simplify(tile_.constraint, box);
    tile_.edges = simplify(tile_.edges, box);
    tile_.active = simplify(tile_.active, box);
    if (reason_.empty() && satisfiable(tile_.constraint, box) == Verdict::no)
      reason_ = "no size of the tile makes what it reads evenly spaced and independent in each dimension";
    if (reason_.empty()) return std::move(tile_);
    return bound();
  }

 private:
  void give_up(std::string reason) {
    if (reason_.empty()) reason_ = std::move(reason);
  }

  std::vector<Interval> parameter_box() const {
    std::vector<Interval> box;
    for (const Variable& v : frame_.parameters.variables()) box.push_back(v.bounds);
    return box;
  }

  void require(TileConstraint& where, const TileConstraint& added) {
    if (where.conjunctions().size() * added.conjunctions().size() > kMostCases * 8)
      return give_up("the sizes that fit have more than 512 cases");
    where = both(where, added);
    if (where.conjunctions().size() <= 16) return;
    where = simplify(where, parameter_box());
    if (where.conjunctions().size() > kMostCases) give_up("the sizes that fit have more than 512 cases");
  }

  void add_result(std::size_t i, Index extent) {
    const Expr result = frame_.map.results()[i];
    const ExprView& view = views_[i];
    std::vector<Piece> pieces;
    std::vector<const detail::DigitTerm*> changing;
    Expr fixed = Expr::constant(view.constant);  // what does not change in the tile
    Expr moving;
    Index grid = 0;
    for (const detail::DigitTerm& term : view.terms) {
      const bool changes = std::ranges::any_of(
          term.variables, [&](Index v) { return !frame_.blocks[static_cast<std::size_t>(v)].runtime; });
      const Expr value = term.digit() * term.coefficient;
      if (!changes) {
        fixed = fixed + value;
        continue;
      }
      moving = moving + value;
      grid = std::gcd(grid, term.coefficient);
      changing.push_back(&term);
    }
    for (const detail::DigitTerm* term : changing)
      pieces.push_back(detail::make_piece(frame_, *term, changing.size() == 1));
    const detail::ResultTile progression = detail::join(frame_, pieces);
    require(tile_.constraint, progression.constraint);
    require(tile_.edges, progression.edges);
    note_limits(view, progression);
    TileDimension dim;
    dim.offset = frame_.simple(frame_.at_offset(result) + progression.shift);
    dim.size = progression.size;
    dim.stride = progression.stride;
    if (pieces.empty() && frame_.varies[i]) dim.stride = Expr::constant(1);
    const Interval reached = range(moving, frame_.map.domain(), false);
    if (!reached.is_finite()) give_up(fmt::format("result {} has no bounds", i));
    fixed = frame_.at_offset(fixed);
    dim.lower = frame_.simple(fixed + reached.lower);
    dim.upper = frame_.simple(fixed + reached.upper + 1);
    // No element of the array lies between the last one that is read and the end.
    if (extent > 0 && dim.upper.is_constant() && dim.upper.value() - 1 + grid >= extent)
      dim.upper = Expr::constant(extent);
    if (extent > 0 && dim.lower.is_constant() && dim.lower.value() > 0 && dim.lower.value() < grid)
      dim.lower = Expr();
    bound_by_start(view, dim);
    tile_.dims.push_back(dim);
    for (Piece& piece : pieces) pieces_.push_back({i, std::move(piece)});
  }

  // A tile may leave the part of the array where the map is defined. The limits on the result cut it there
  // if the result rises or falls with the dimension alone.
  void note_limits(const ExprView& view, const detail::ResultTile& progression) {
    Index largest = 0;
    for (const detail::DigitTerm& term : view.terms) largest = std::max(largest, std::abs(term.coefficient));
    for (const detail::DigitTerm& term : view.terms) {
      if (!term.is_variable() || !progression.masked || std::abs(term.coefficient) != largest) continue;
      const auto v = static_cast<std::size_t>(term.base.value());
      if (frame_.uses[v] == 1 && (!frame_.blocks[v].bounded || view.terms.size() == 1)) limited_[v] = true;
    }
  }

  // Where no result shows that a tile leaves the domain, conditions do.
  void check_cuts() {
    for (std::size_t v = 0; v < frame_.blocks.size(); ++v) {
      const detail::Block& block = frame_.blocks[v];
      if ((!block.cut && !block.bounded) || limited_[v]) continue;
      if (block.stride != 1 || block.bounded)
        return give_up(fmt::format("the tile is limited in {}, which is not one dimension of what is read",
                                   frame_.map.domain().name(v)));
      const Interval bounds = frame_.map.variables()[v].bounds;
      if (bounds.lower > 0)
        require(tile_.active,
                TileConstraint::in(frame_.simple(block.offset + block.size), bounds.lower + 1, kPosInf));
      if (bounds.upper < block.extent - 1)
        require(tile_.active, TileConstraint::in(block.offset, kNegInf, bounds.upper));
      if (frame_.uses[v] == 0) continue;
      for (const Index end : {bounds.lower, bounds.upper + 1})
        require(tile_.edges, TileConstraint::in(mod(Expr::constant(end), block.size), 0, 0));
    }
  }

  void bound_by_start(const ExprView& view, TileDimension& dim) {
    if (view.terms.size() != 1 || !view.terms[0].is_variable() || view.terms[0].coefficient < 1) return;
    const auto& upper = frame_.uppers[static_cast<std::size_t>(view.terms[0].base.value())];
    if (!upper) return;
    const Expr end = (*upper - 1) * view.terms[0].coefficient + (view.constant + 1);
    dim.upper = frame_.simple(max(min(end, dim.upper), dim.lower));
  }

  // Results that depend on one variable read a product only if their digits are different ones.
  void separate() {
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const Piece& a = pieces_[i].second;
        const Piece& b = pieces_[j].second;
        if (detail::independent(a, b)) continue;
        require(tile_.constraint, either(TileConstraint::in(a.size, 1, 1), TileConstraint::in(b.size, 1, 1)));
      }
    }
  }

  // Constraints of the map: limits on a result, or nothing that a tile could say.
  void mask() {
    Domain everywhere = frame_.map.domain();  // the constraint itself must not decide
    everywhere.clear_constraints();
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
        } else {
          continue;
        }
        known = true;
      }
      if (!known && !dilated(c)) {
        const auto name = [&](Index v) { return frame_.map.domain().name(static_cast<std::size_t>(v)); };
        give_up(fmt::format("the map is defined only where {} in {}", to_string(c.expr, name),
                            to_string(c.range)));
      }
    }
  }

  // Dilation: x mod m is r, and floor(x / m) is read. Of the indices x in a tile those are m * q + r.
  bool dilated(const Constraint& c) {
    const auto condition = detail::view(c.expr, frame_.box);
    if (!c.range.is_point() || !condition || condition->constant != 0 || condition->terms.size() != 1)
      return false;
    const detail::DigitTerm& digit = condition->terms[0];
    if (digit.coefficient != 1 || digit.divisor != 1 || digit.modulus < 2 || !digit.base.is_variable())
      return false;
    const auto v = static_cast<std::size_t>(digit.base.value());
    const detail::Block& block = frame_.blocks[v];
    if (!block.tiled || block.stride != 1 || block.bounded || frame_.uses[v] != 1) return false;
    for (std::size_t i = 0; i < views_.size(); ++i) {
      if (views_[i].terms.size() != 1) continue;
      const detail::DigitTerm& term = views_[i].terms[0];
      if (term.base != digit.base || term.divisor != digit.modulus || term.modulus != 0 || term.opaque ||
          term.coefficient != 1)
        continue;
      const Index rest = c.range.lower;
      const Expr first = ceil_div(block.offset - rest, term.divisor);
      const Expr last = floor_div(block.offset + block.size - (rest + 1), term.divisor);
      if (frame_.uniform) require(tile_.constraint, TileConstraint::in(mod(block.size, term.divisor), 0, 0));
      tile_.dims[i].offset = frame_.simple(first + views_[i].constant);
      tile_.dims[i].size = frame_.simple(last - first + 1);
      tile_.dims[i].stride = Expr::constant(1);
      limited_[v] = true;
      return true;
    }
    return false;
  }

  static Expr tighter(Expr a, Expr b, bool largest) {
    if (a.is_constant() && b.is_constant())
      return Expr::constant(largest ? std::max(a.value(), b.value()) : std::min(a.value(), b.value()));
    return largest ? max(a, b) : min(a, b);
  }

  void limit(TileDimension& dim, Interval range) {
    if (range.lower != kNegInf) dim.lower = tighter(dim.lower, Expr::constant(range.lower), true);
    if (range.upper < kPosInf - 1) dim.upper = tighter(dim.upper, Expr::constant(range.upper + 1), false);
  }

  Result<SymbolicTile> bound() {
    for (std::size_t i = 0; i < views_.size(); ++i) {
      const auto ends = detail::hull(frame_, views_[i]);
      if (!ends) return fail(Code::not_representable, fmt::format("result {} has no bounds in a tile", i));
      TileDimension& dim = tile_.dims[i];
      dim.offset = frame_.simple(ends->low);
      dim.size = frame_.simple(ends->high - ends->low + 1);
      dim.stride = Expr::constant(1);
    }
    tile_.constraint = tile_.edges = TileConstraint();
    tile_.exact = false;
    tile_.reason = reason_;
    return std::move(tile_);
  }

  Frame frame_;
  SymbolicTile tile_;
  std::vector<ExprView> views_;
  std::vector<std::pair<std::size_t, Piece>> pieces_;
  std::vector<bool> limited_;  // the limits of a result cut the variable where its domain does
  std::string reason_;
};

std::string map_text(const SymbolicTile& tile, const char* name, Expr TileDimension::* part,
                     bool with_symbols) {
  std::vector<std::string> dims;
  std::vector<std::string> symbols;
  for (std::size_t v = 0; v < tile.parameters.variable_count(); ++v) {
    if (tile.parameters.kind(v) == VariableKind::runtime) {
      symbols.push_back(tile.namer()(static_cast<Index>(v)));
    } else {
      dims.push_back(tile.namer()(static_cast<Index>(v)));
    }
  }
  std::vector<std::string> results;
  for (const TileDimension& dim : tile.dims) results.push_back(to_string(dim.*part, tile.namer()));
  return fmt::format("  {}: ({}){} -> ({})\n", name, fmt::join(dims, ", "),
                     with_symbols && !symbols.empty() ? fmt::format("[{}]", fmt::join(symbols, ", ")) : "",
                     fmt::join(results, ", "));
}

}  // namespace

VariableNamer SymbolicTile::namer() const {
  return [all = parameters](Index v) {
    const auto i = static_cast<std::size_t>(v);
    if (all.kind(i) != VariableKind::runtime) return all.name(i);
    return fmt::format("s{}", i - all.dim_count());
  };
}

StartTile tile_grid(std::span<const Index> extents, std::span<const Index> sizes) {
  StartTile out;
  const auto n = static_cast<Index>(extents.size());
  std::vector<Variable> numbers;
  std::vector<Variable> open;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const Index size = i < sizes.size() ? sizes[i] : 0;
    const Index extent = std::max<Index>(extents[i], 1);
    numbers.push_back({{0, size > 0 ? ceil_div(extent, size) - 1 : extent - 1}, fmt::format("tid_{}", i)});
    open.push_back({size > 0 ? Interval::point(size) : Interval{1, extent}, fmt::format("ts_{}", i)});
    const auto k = static_cast<Index>(i);
    const Expr length = size > 0 ? Expr::constant(size) : Expr::variable(n + k);
    out.dims.push_back({.offset = Expr::variable(k) * length, .size = length, .extent = extent});
  }
  numbers.insert(numbers.end(), open.begin(), open.end());
  out.parameters = Domain(std::move(numbers), {}, {});
  return out;
}

Result<SymbolicTile> propagate(const IndexMap& map, const StartTile& start) {
  auto frame = detail::make_frame(map, start);
  if (!frame) return fail(std::move(frame.error()));
  return Propagation(*std::move(frame)).run(start.extents);
}

Result<SymbolicTile> symbolic_tile(const IndexMap& map) {
  StartTile start{.uniform = true};
  std::vector<Variable> sizes;
  for (std::size_t i = 0; i < map.dim_count(); ++i) {
    const Interval bounds = map.variables()[i].bounds;
    if (!bounds.is_finite() || bounds.upper < 0 || bounds.upper >= kPosInf - 1)
      return fail(Code::not_representable, fmt::format("{} has no bounds", map.domain().name(i)));
    const Index extent = bounds.upper + 1;
    sizes.push_back({{1, extent}, map.variables()[i].name});
    start.dims.push_back({.size = Expr::variable(static_cast<Index>(i)), .extent = extent});
  }
  start.parameters = Domain(std::move(sizes), {}, {});
  return propagate(map, start);
}

Result<std::vector<ConcreteDimension>> at(const SymbolicTile& tile, std::span<const Index> values) {
  if (values.size() != tile.parameters.variable_count()) {
    return fail(Code::value_count, fmt::format("the tile has {} parameters, but the number of values is {}",
                                               tile.parameters.variable_count(), values.size()));
  }
  if (!tile.constraint.satisfied(values)) {
    return fail(Code::index_out_of_range,
                fmt::format("these sizes do not satisfy {}", to_string(tile.constraint, tile.namer())));
  }
  const bool active = tile.active.satisfied(values);
  std::vector<ConcreteDimension> out;
  for (const TileDimension& dim : tile.dims) {
    const auto offset = evaluate(dim.offset, values);
    const auto size = evaluate(dim.size, values);
    const auto stride = evaluate(dim.stride, values);
    const auto lower = evaluate(dim.lower, values);
    const auto upper = evaluate(dim.upper, values);
    if (!offset || !size || !stride || !lower || !upper)
      return fail(Code::undefined_value, "the tile has no value at these parameters");
    Index first = 0;  // the numbers k of the indices that are inside
    Index last = *size - 1;
    if (*stride > 0) {
      first = std::max(first, ceil_div(*lower - *offset, *stride));
      last = std::min(last, floor_div(*upper - 1 - *offset, *stride));
    } else if (*stride < 0) {
      first = std::max(first, ceil_div(*offset - *upper + 1, -*stride));
      last = std::min(last, floor_div(*offset - *lower, -*stride));
    } else if (*offset < *lower || *offset >= *upper) {
      last = -1;
    } else {
      last = std::min<Index>(last, 0);
    }
    const Index count = active ? std::max<Index>(last - first + 1, 0) : 0;
    out.push_back({.first = *offset + first * *stride, .count = count, .step = count > 1 ? *stride : 0});
  }
  return out;
}

std::string to_string(const SymbolicTile& tile) {
  std::string out = "Symbolic tile with\n";
  out += map_text(tile, "offset_map", &TileDimension::offset, true);
  out += map_text(tile, "size_map", &TileDimension::size, false);
  out += map_text(tile, "stride_map", &TileDimension::stride, false);
  std::vector<std::string> runtime;
  for (std::size_t v = 0; v < tile.parameters.variable_count(); ++v) {
    if (tile.parameters.kind(v) == VariableKind::runtime)
      runtime.push_back(fmt::format("{} in {}", tile.namer()(static_cast<Index>(v)),
                                    to_string(tile.parameters.variables()[v].bounds)));
  }
  if (!runtime.empty()) out += fmt::format("  rt_vars: {}\n", fmt::join(runtime, ", "));
  if (!tile.constraint.always_satisfied())
    out += fmt::format("  constraints: {}\n", to_string(tile.constraint, tile.namer()));
  if (!tile.active.always_satisfied())
    out += fmt::format("  active: {}\n", to_string(tile.active, tile.namer()));
  if (!tile.edges.always_satisfied())
    out += fmt::format("  edges: {}\n", to_string(tile.edges, tile.namer()));
  if (!tile.exact) out += fmt::format("  bound: {}\n", tile.reason);
  return out;
}

}  // namespace tessera
