// SPDX-License-Identifier: Apache-2.0
// Sums of pieces as arithmetic progressions.
#include "tile/progression.h"

#include <algorithm>
#include <cstdlib>

#include "map/values/enumerate.h"
#include "tile/limits.h"

namespace tessera::detail {
namespace {

// The expression "if size = 1 then other else value", for 1 <= size <= most.
Expr unless_one(Expr size, Index most, Expr value, Expr other) {
  if (size.is_constant()) return size.is_constant(1) ? other : value;
  if (most == 1) return other;
  const Expr one = floor_div(-size + (most + 1), most);
  return one * other + (-one + 1) * value;
}

Index length(const Piece& piece) { return piece.size.value(); }

// Pieces of constant size, in order of increasing coefficients, as one piece. Empty if their sums leave gaps.
std::optional<Piece> sum_of(std::span<const Piece> pieces) {
  Piece out{.whole = true};
  Index count = 1;
  for (const Piece& piece : pieces) {
    if (length(piece) == 1) continue;
    if (count == 1) {
      out.coefficient = piece.coefficient;
      count = length(piece);
      continue;
    }
    Index grown = 0;
    if (piece.coefficient % out.coefficient != 0 || piece.coefficient / out.coefficient > count ||
        mul_overflows(piece.coefficient / out.coefficient, length(piece) - 1, grown) ||
        add_overflows(count, grown, count))
      return std::nullopt;
  }
  out.size = Expr::constant(count);
  out.most = count;
  return out;
}

// Replaces as many whole pieces as possible by one piece, from the smallest coefficient on. The values of
// whole pieces do not depend on the tile.
void join_whole(std::vector<Piece>& pieces) {
  const auto tiled = std::ranges::stable_partition(pieces, &Piece::whole);
  const auto count = static_cast<std::size_t>(tiled.begin() - pieces.begin());
  for (std::size_t whole = count; whole > 1; --whole) {
    auto joined = sum_of(std::span(pieces).first(whole));
    if (!joined) continue;
    pieces.erase(pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(whole));
    pieces.insert(pieces.begin(), *std::move(joined));
    break;
  }
  std::ranges::stable_sort(pieces, {}, &Piece::coefficient);
}

// The condition that the sum is one progression. From the largest coefficient down, with a mixed radix: sizes
// 1, then one of any size, then full sizes, then sizes 1. Without one: at most one size is not 1.
TileConstraint one_progression(std::span<const Piece> pieces, bool radix) {
  TileConstraint cases = TileConstraint::never();
  for (std::size_t any = 0; any < pieces.size(); ++any) {
    for (std::size_t full = 0; full <= (radix ? any : 0); ++full) {
      TileConstraint all;
      for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (i != any)
          all = both(all, size_is(pieces[i].size, i < any && i >= any - full ? pieces[i].most : 1));
      }
      cases = either(cases, all);
    }
  }
  return cases;
}

bool is_radix(std::span<const Piece> pieces) {
  for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
    Index next = 0;
    if (mul_overflows(pieces[i].coefficient, pieces[i].most, next) || next != pieces[i + 1].coefficient)
      return false;
  }
  return true;
}

// A window and its steps, if each step is no longer than the window. Then no size of the tile leaves gaps.
std::optional<Piece> window_of(const Frame& frame, std::span<const Piece> pieces) {
  if (pieces.size() != 2 || !pieces[0].whole || pieces[1].whole || !pieces[1].plain) return std::nullopt;
  const Piece& window = pieces[0];
  const Piece& steps = pieces[1];
  const Index ratio = steps.coefficient / window.coefficient;
  if (steps.coefficient % window.coefficient != 0 || ratio >= length(window)) return std::nullopt;
  return Piece{.coefficient = window.coefficient,
               .size = frame.simple((steps.size - 1) * ratio + length(window))};
}

// A dilated window: its taps are further apart than the steps of the tile. If the tile has one index, only
// the taps are read. If it has at least as many indices as there are steps between two taps, everything
// between the taps is read too.
std::optional<ResultTile> dilated_window(const Frame& frame, std::span<const Piece> pieces, Index sign) {
  if (pieces.size() != 2 || pieces[0].whole || !pieces[0].plain || !pieces[1].whole) return std::nullopt;
  const Piece& steps = pieces[0];
  const Piece& taps = pieces[1];
  if (steps.variables.size() != 1 || taps.coefficient % steps.coefficient != 0) return std::nullopt;
  const Index gap = taps.coefficient / steps.coefficient;
  const VariableBlock& block = frame.blocks[static_cast<std::size_t>(steps.variables[0])];
  if (block.stride != 1 || gap < 2) return std::nullopt;
  const Expr all = (Expr::constant(length(taps)) - 1) * gap + steps.size;
  const Expr rest = mod(Expr::constant(block.extent), steps.size);
  return ResultTile{
      .size = frame.simple(unless_one(steps.size, steps.most, all, Expr::constant(length(taps)))),
      .stride = frame.simple(unless_one(steps.size, steps.most, Expr::constant(sign * steps.coefficient),
                                        Expr::constant(sign * taps.coefficient))),
      .constraint = gap == 2 ? TileConstraint()
                             : either(size_is(steps.size, 1), TileConstraint::in(steps.size, {gap, kPosInf})),
      .edges = either(TileConstraint::in(rest, {0, 0}), TileConstraint::in(rest, {gap, kPosInf}))};
}

TileConstraint unless_constant(const TileConstraint& constraint) { return simplify(constraint, {}); }

}  // namespace

bool add_cases(TileConstraint& where, const TileConstraint& added, std::span<const Interval> box) {
  if (where.conjunctions().size() * added.conjunctions().size() > kTileLimits.cases * 2) return false;
  where = both(where, added);
  if (where.conjunctions().size() <= 16) return true;
  where = simplify(where, box);
  return where.conjunctions().size() <= kTileLimits.cases;
}

ResultTile join(const Frame& frame, std::vector<Piece> pieces) {
  ResultTile out{.masked = true};
  const std::vector<Interval> box = box_of(frame.parameters);
  bool many = false;        // cases of the constraint
  bool many_edges = false;  // cases of the edges
  const auto add_edges = [&](TileConstraint& where, const Piece& piece) {
    many_edges = many_edges || !add_cases(where, piece.edges, box);
  };
  const auto done = [&](ResultTile tile) {
    tile.crowded = many || many_edges;
    return tile;
  };
  std::vector<TileConstraint> regular;
  for (const Piece& piece : pieces) {
    regular.push_back(piece.regular);
    many = many || !add_cases(out.constraint, piece.regular, box);
  }
  // Pieces that have one value in each tile, but different values in different tiles.
  const bool hidden = std::ranges::any_of(pieces, [&](const Piece& p) {
    return p.whole && p.size.is_constant(1) && !frame.all_whole(p.variables);
  });
  const bool moved = std::ranges::any_of(pieces, &Piece::moved);
  TileConstraint moved_edges;  // of all pieces, if the limits of the result do not cut the tile
  for (const Piece& piece : pieces) {
    if (moved) add_edges(moved_edges, piece);
  }
  std::erase_if(pieces, [](const Piece& p) { return p.whole && p.size.is_constant(1); });
  if (pieces.empty()) return done(std::move(out));
  // Makes all pieces rise or all fall. A whole piece can be reversed; tiled pieces may disagree.
  const auto leader = std::ranges::find_if(pieces, [](const Piece& p) { return !p.whole; });
  const bool falling = (leader != pieces.end() ? *leader : pieces.front()).coefficient < 0;
  bool agree = true;
  for (Piece& piece : pieces) {
    if ((piece.coefficient < 0) == falling) continue;
    agree = agree && piece.whole;
    if (!piece.whole) continue;
    out.shift = out.shift + (length(piece) - 1) * piece.coefficient;
    piece.coefficient = -piece.coefficient;
  }
  const Index sign = falling && agree ? -1 : 1;
  if (agree) {
    for (Piece& piece : pieces) piece.coefficient = std::abs(piece.coefficient);
  }
  std::ranges::stable_sort(pieces, {}, [](const Piece& p) { return std::abs(p.coefficient); });
  if (agree) {
    join_whole(pieces);
    if (const auto window = hidden ? std::nullopt : window_of(frame, pieces)) {
      out.size = window->size;
      out.stride = Expr::constant(sign * window->coefficient);
      out.edges = std::move(moved_edges);
      out.masked = false;
      return done(std::move(out));
    }
    if (auto window = hidden ? std::nullopt : dilated_window(frame, pieces, sign)) {
      window->shift = out.shift;
      window->constraint = both(out.constraint, window->constraint);
      window->edges = both(window->edges, moved_edges);
      return done(*std::move(window));
    }
  }
  const bool radix = agree && is_radix(pieces);
  TileConstraint edges = std::move(moved_edges);
  for (const Piece& piece : pieces) {
    if (&piece != &pieces.back() || !piece.ordered || !radix || hidden) add_edges(edges, piece);
  }
  out.masked = radix && !hidden && !moved;
  if (pieces.size() > 1) {
    const TileConstraint cases = unless_constant(one_progression(pieces, radix));
    const bool constant = std::ranges::all_of(pieces, [](const Piece& p) { return p.size.is_constant(); });
    const auto sum = agree && constant && cases.unsatisfiable() ? sum_of(pieces) : std::nullopt;
    if (sum) {  // steps that overlap
      out.size = sum->size;
      out.stride = Expr::constant(sum->coefficient * sign);
      out.masked = false;
      for (const Piece& piece : pieces) add_edges(out.edges, piece);
      return done(std::move(out));
    }
    many = many || !add_cases(out.constraint, cases, box);
    if (many && pieces.size() <= kTileLimits.ordered_pieces) {
      many = false;
      out.constraint = cases;
      for (const TileConstraint& one : regular) many = many || !add_cases(out.constraint, one, box);
    }
  }
  out.edges = std::move(edges);
  out.stride = pieces.size() == 1 ? Expr::constant(pieces[0].coefficient) : Expr();
  for (std::size_t i = pieces.size(); i-- > 0;) {
    out.size = out.size * pieces[i].size;
    if (pieces.size() > 1)
      out.stride =
          unless_one(pieces[i].size, pieces[i].most, Expr::constant(pieces[i].coefficient), out.stride);
  }
  out.size = frame.simple(out.size);
  out.stride = frame.simple(out.stride * sign);
  return done(std::move(out));
}

}  // namespace tessera::detail
