// SPDX-License-Identifier: Apache-2.0
#include "tile/propagation.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "map/values/enumerate.h"
#include "tessera/map/map_algebra.h"

namespace tessera::detail {
Result<SymbolicTile> Propagation::run(std::span<const Index> extents) {
  tile_.parameters = frame_.parameters;
  limited_.assign(frame_.blocks.size(), false);
  for (const Expr result : frame_.map.results()) {
    auto own = view(result, frame_.box);
    if (!own) return fail(Code::limit, "a result is too long to be split into digits");
    for (const DigitTerm& term : own->terms)
      for (const Index v : term.variables) ++frame_.uses[static_cast<std::size_t>(v)];
    views_.push_back(*std::move(own));
  }
  for (std::size_t i = 0; i < views_.size(); ++i) add_result(i, i < extents.size() ? extents[i] : 0);
  separate();
  mask();
  check_cuts();
  const std::vector<Interval> box = box_of(frame_.parameters);
  tile_.constraint = simplify(tile_.constraint, box);
  tile_.edges = simplify(tile_.edges, box);
  tile_.active = simplify(tile_.active, box);
  if (reason_.empty() && satisfiable(tile_.constraint, box) == Verdict::no) {
    // The constraint is sufficient: other sizes may do, too.
    const bool open = std::ranges::any_of(
        frame_.blocks, [](const VariableBlock& block) { return block.tiled && !block.size.is_constant(); });
    reason_ = fmt::format("{}what it reads is evenly spaced and independent in each dimension",
                          open ? "for no size of the tile it is proved that " : "it is not proved that ");
  }
  if (reason_.empty()) return std::move(tile_);
  return bound();
}

void Propagation::require(TileConstraint& where, const TileConstraint& added) {
  if (!add_cases(where, added, box_of(frame_.parameters))) give_up(kTooManyCases);
}

void Propagation::add_result(std::size_t i, Index extent) {
  const ExprView& view = views_[i];
  std::vector<Piece> pieces;
  std::vector<const DigitTerm*> changing;
  Expr fixed = Expr::constant(view.constant);  // the part that does not change in the tile
  Expr moving;
  Index grid = 0;
  for (const DigitTerm& term : view.terms) {
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
  for (const DigitTerm* term : changing) pieces.push_back(make_piece(frame_, *term, changing.size() == 1));
  const ResultTile progression = join(frame_, pieces);
  if (progression.crowded) give_up(kTooManyCases);
  require(tile_.constraint, progression.constraint);
  require(tile_.edges, progression.edges);
  note_limits(view, progression);
  TileDimension dim;
  // The terms, because the offset of the tile may be outside the domain, where they may differ from the
  // result.
  dim.offset = frame_.simple(frame_.at_offset(fixed + moving) + progression.shift);
  if (dim.offset.node().divides_by_zero)
    give_up(fmt::format("result {} divides by 0 at the start of a tile", i));
  dim.size = progression.size;
  dim.stride = progression.stride;
  if (pieces.empty() && frame_.varies[i]) dim.stride = Expr::constant(1);
  const Interval reached = range(moving, frame_.map.domain(), false);
  if (!reached.is_finite()) give_up(fmt::format("result {} has no bounds", i));
  fixed = frame_.at_offset(fixed);
  dim.lower = frame_.simple(fixed + reached.lower);
  dim.upper = frame_.simple(fixed + reached.upper + 1);
  // No element that could be read lies between the last one and the end of the array.
  if (extent > 0 && dim.upper.is_constant() && dim.upper.value() - 1 + grid >= extent)
    dim.upper = Expr::constant(extent);
  if (extent > 0 && dim.lower.is_constant() && dim.lower.value() > 0 && dim.lower.value() < grid)
    dim.lower = Expr();
  bound_by_start(view, dim);
  tile_.dims.push_back(dim);
  for (Piece& piece : pieces) pieces_.push_back({i, std::move(piece)});
}

void Propagation::bound_by_start(const ExprView& view, TileDimension& dim) {
  if (view.terms.size() != 1 || !view.terms[0].is_variable() || view.terms[0].coefficient < 1) return;
  const auto& upper = frame_.uppers[static_cast<std::size_t>(view.terms[0].base.value())];
  if (!upper) return;
  const Expr end = (*upper - 1) * view.terms[0].coefficient + (view.constant + 1);
  dim.upper = frame_.simple(max(min(end, dim.upper), dim.lower));
}

// The tile is the product of its dimensions only if results that depend on one variable use different digits
// of it.
void Propagation::separate() {
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Piece& a = pieces_[i].second;
      const Piece& b = pieces_[j].second;
      if (independent(a, b)) continue;
      require(tile_.constraint,
              either(TileConstraint::in(a.size, {1, 1}), TileConstraint::in(b.size, {1, 1})));
    }
  }
}

Result<SymbolicTile> Propagation::bound() {
  for (std::size_t i = 0; i < views_.size(); ++i) {
    const auto ends = hull(frame_, views_[i]);
    if (!ends)
      return fail(Code::not_representable, fmt::format("result {} has no bounds in a tile", i), {},
                  "give the variables that it uses finite intervals, and its divisors intervals without 0");
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

}  // namespace tessera::detail
