// SPDX-License-Identifier: Apache-2.0
#include "tile/piece.h"

#include <algorithm>
#include <cstdlib>

namespace tessera::detail {
namespace {

// The values of a quotient's base in a tile: `size` consecutive numbers that begin (or end, if it falls) at a
// multiple of the size.
struct AlignedBase {
  Expr size = Expr::constant(1);
  Index most = 1;
  TileConstraint when;
  bool falling = false;
};

TileConstraint equals(Expr size, Index value) { return TileConstraint::in(size, value, value); }

// Mixed radix: x_0 * c_0 + x_1 * c_1 + ..., each coefficient the next one times the next extent, the last one
// 1. Consecutive if the sizes are 1* any full*.
std::optional<AlignedBase> aligned_base(const Frame& frame, const ExprView& base) {
  struct Part {
    Index coefficient;
    const Block* block;
  };
  std::vector<Part> parts;
  for (const DigitTerm& term : base.terms) {
    if (!term.is_variable()) return std::nullopt;
    const Block& block = frame.blocks[static_cast<std::size_t>(term.base.value())];
    if (block.runtime || block.stride != 1 || !block.aligned) return std::nullopt;
    parts.push_back({term.coefficient, &block});
  }
  if (parts.empty()) return std::nullopt;
  AlignedBase out;
  out.falling = parts[0].coefficient < 0;
  for (Part& part : parts) {
    if ((part.coefficient < 0) != out.falling) return std::nullopt;
    part.coefficient = std::abs(part.coefficient);
  }
  std::ranges::sort(parts, std::ranges::greater(), &Part::coefficient);
  Index expected = 1;
  for (std::size_t i = parts.size(); i-- > 0;) {
    if (parts[i].coefficient != expected || mul_overflows(expected, parts[i].block->extent, expected))
      return std::nullopt;
  }
  out.most = expected;
  TileConstraint cases = TileConstraint::never();
  for (std::size_t middle = 0; middle < parts.size(); ++middle) {
    TileConstraint all;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Block& block = *parts[i].block;
      if (i < middle) all = both(all, equals(block.size, 1));
      if (i > middle) all = both(all, equals(block.size, block.extent));
      if (i == middle && i > 0)
        all = both(all, TileConstraint::in(mod(Expr::constant(block.extent), block.size), 0, 0));
    }
    cases = either(cases, all);
  }
  out.when = std::move(cases);
  for (const Part& part : parts) out.size = part.block->size * out.size;
  const Index shift = out.falling ? base.constant + 1 : base.constant;
  if (shift != 0) out.when = both(out.when, TileConstraint::in(mod(Expr::constant(shift), out.size), 0, 0));
  return out;
}

std::vector<Index> changing(const Frame& frame, const DigitTerm& term) {
  std::vector<Index> out;
  for (const Index v : term.variables) {
    const Block& block = frame.blocks[static_cast<std::size_t>(v)];
    if (!block.runtime && block.extent > 1) out.push_back(v);
  }
  return out;
}

bool all_whole(const Frame& frame, std::span<const Index> variables) {
  return std::ranges::none_of(variables,
                              [&](Index v) { return frame.blocks[static_cast<std::size_t>(v)].tiled; });
}

// floor(base / divisor), where nothing else in the map uses the variables: consecutive if no step of a
// variable skips a value, whatever the offset is.
std::optional<Piece> lone_quotient(const Frame& frame, const DigitTerm& term, const ExprView& base,
                                   bool alone) {
  if (term.modulus != 0) return std::nullopt;
  for (const DigitTerm& part : base.terms) {
    if (!part.is_variable()) return std::nullopt;
    const auto v = static_cast<std::size_t>(part.base.value());
    const Block& block = frame.blocks[v];
    if (block.runtime) continue;
    Index step = 0;
    if (((frame.uniform || !alone) && block.tiled) || (part.coefficient < 0 && base.terms.size() > 1))
      return std::nullopt;
    if (mul_overflows(std::abs(part.coefficient), block.stride, step) || step > term.divisor ||
        frame.uses[v] > 1)
      return std::nullopt;
  }
  const auto ends = hull(frame, base);
  if (!ends) return std::nullopt;
  Piece out{.coefficient = term.coefficient,
            .variables = changing(frame, term),
            .base = term.base,
            .divisor = term.divisor};
  out.size = frame.simple(floor_div(ends->high, term.divisor) - floor_div(ends->low, term.divisor) + 1);
  out.most = term.range.count().value_or(kIndexMax);
  out.whole = all_whole(frame, out.variables) && out.size.is_constant();
  // An index beyond the end lies in a quotient beyond the last one, or in one that is also read.
  out.ordered = base.terms.size() == 1;
  out.edges = frame.whole_tiles(out.variables);
  // Backward the first quotient is that of the last index.
  if (base.terms[0].coefficient < 0) out.coefficient = -out.coefficient;
  return out;
}

std::optional<Piece> digit(const Frame& frame, const DigitTerm& term, const ExprView& view) {
  const auto base = aligned_base(frame, view);
  if (!base) return std::nullopt;
  Piece out{.coefficient = base->falling ? -term.coefficient : term.coefficient,
            .regular = base->when,
            .variables = changing(frame, term),
            .base = term.base,
            .divisor = term.divisor,
            .modulus = term.modulus};
  Expr size = base->size;
  Index most = base->most;
  const auto divides = [](Expr a, Expr b) { return TileConstraint::in(mod(b, a), 0, 0); };
  if (term.divisor > 1) {
    const Expr divisor = Expr::constant(term.divisor);
    out.regular = both(out.regular, either(divides(size, divisor), divides(divisor, size)));
    size = floor_div(size + (term.divisor - 1), term.divisor);
    most = ceil_div(most, term.divisor);
  }
  if (term.modulus > 1) {
    const Expr modulus = Expr::constant(term.modulus);
    out.regular = both(out.regular, either(divides(size, modulus), divides(modulus, size)));
    size = size - floor_div(size - 1, term.modulus) * term.modulus;
    most = std::min(most, term.modulus);
  }
  out.size = frame.simple(size);
  out.most = most;
  out.whole = all_whole(frame, out.variables) && out.size.is_constant();
  out.edges = frame.whole_tiles(out.variables);
  return out;
}

// if size = 1 then other else value, for 1 <= size <= most.
Expr unless_one(Expr size, Index most, Expr value, Expr other) {
  if (size.is_constant()) return size.is_constant(1) ? other : value;
  if (most == 1) return other;
  const Expr one = floor_div(-size + (most + 1), most);
  return one * other + (-one + 1) * value;
}

Index length(const Piece& piece) { return piece.size.value(); }

// Constant sizes, by rising coefficients, as one piece; empty if their sums leave holes.
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

// From the largest coefficient down: sizes 1* any full* 1* in a mixed radix; otherwise one that is not 1.
TileConstraint one_progression(std::span<const Piece> pieces, bool radix) {
  TileConstraint cases = TileConstraint::never();
  for (std::size_t any = 0; any < pieces.size(); ++any) {
    for (std::size_t full = 0; full <= (radix ? any : 0); ++full) {
      TileConstraint all;
      for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (i != any)
          all = both(all, equals(pieces[i].size, i < any && i >= any - full ? pieces[i].most : 1));
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

// A window and its steps, each no longer than the window: for any size of the tile, without holes.
std::optional<Piece> window_of(const Frame& frame, std::span<const Piece> pieces) {
  if (pieces.size() != 2 || !pieces[0].whole || pieces[1].whole || !pieces[1].plain) return std::nullopt;
  const Piece& window = pieces[0];
  const Piece& steps = pieces[1];
  const Index ratio = steps.coefficient / window.coefficient;
  if (steps.coefficient % window.coefficient != 0 || ratio >= length(window)) return std::nullopt;
  return Piece{.coefficient = window.coefficient,
               .size = frame.simple((steps.size - 1) * ratio + length(window))};
}

TileConstraint unless_constant(const TileConstraint& constraint) { return simplify(constraint, {}); }

}  // namespace

Piece make_piece(const Frame& frame, const DigitTerm& term, bool alone) {
  if (term.is_variable()) {
    const auto v = static_cast<std::size_t>(term.base.value());
    const Block& block = frame.blocks[v];
    return {.coefficient = term.coefficient * block.stride,
            .size = block.size,
            .most = block.extent,
            .edges = frame.whole_tiles(term.variables),
            .variables = term.variables,
            .base = term.base,
            .plain = true,
            .ordered = true,
            .whole = !block.tiled};
  }
  if (!term.opaque && !term.at_least_zero) {
    if (const auto base = view(term.base, frame.box)) {
      if (auto piece = lone_quotient(frame, term, *base, alone)) return *std::move(piece);
      if (auto piece = digit(frame, term, *base)) return *std::move(piece);
    }
  }
  // Any function has one value where its variables have one.
  Piece out{.coefficient = term.coefficient, .variables = changing(frame, term)};
  out.regular = frame.single(out.variables);
  out.whole = true;
  return out;
}

bool independent(const Piece& a, const Piece& b) {
  const bool shared = std::ranges::any_of(
      a.variables, [&](Index v) { return std::ranges::find(b.variables, v) != b.variables.end(); });
  if (!shared || a.most == 1 || b.most == 1) return true;
  if (a.base != b.base) return false;
  const Piece& low = a.divisor < b.divisor ? a : b;
  const Piece& high = a.divisor < b.divisor ? b : a;
  Index end = 0;
  return low.modulus != 0 && !mul_overflows(low.divisor, low.modulus, end) && high.divisor % end == 0;
}

ResultTile join(const Frame& frame, std::vector<Piece> pieces) {
  ResultTile out{.masked = true};
  for (const Piece& piece : pieces) out.constraint = both(out.constraint, piece.regular);
  // Pieces with one value in each tile, but not the same one in all of them.
  const bool hidden = std::ranges::any_of(pieces, [&](const Piece& p) {
    return p.whole && p.size.is_constant(1) && !all_whole(frame, p.variables);
  });
  std::erase_if(pieces, [](const Piece& p) { return p.whole && p.size.is_constant(1); });
  if (pieces.empty()) return out;
  // Makes all pieces run in one direction: a whole piece can be reversed; tiled pieces may disagree.
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
    std::size_t whole = 0;
    while (whole < pieces.size() && pieces[whole].whole) ++whole;
    for (; whole > 1; --whole) {
      auto joined = sum_of(std::span(pieces).first(whole));
      if (!joined) continue;
      pieces.erase(pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(whole));
      pieces.insert(pieces.begin(), *std::move(joined));
      break;
    }
    if (const auto window = hidden ? std::nullopt : window_of(frame, pieces)) {
      out.size = window->size;
      out.stride = Expr::constant(sign * window->coefficient);
      out.masked = false;
      return out;
    }
  }
  const bool radix = agree && is_radix(pieces);
  TileConstraint edges;
  for (const Piece& piece : pieces) {
    if (&piece != &pieces.back() || !piece.ordered || !radix || hidden) edges = both(edges, piece.edges);
  }
  out.masked = radix && !hidden;
  if (pieces.size() > 1) {
    const TileConstraint cases = unless_constant(one_progression(pieces, radix));
    const bool constant = std::ranges::all_of(pieces, [](const Piece& p) { return p.size.is_constant(); });
    const auto sum = agree && constant && cases.unsatisfiable() ? sum_of(pieces) : std::nullopt;
    if (sum) {  // steps that overlap
      out.size = sum->size;
      out.stride = Expr::constant(sum->coefficient * sign);
      out.masked = false;
      for (const Piece& piece : pieces) out.edges = both(out.edges, piece.edges);
      return out;
    }
    out.constraint = both(out.constraint, cases);
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
  return out;
}

}  // namespace tessera::detail
