// SPDX-License-Identifier: Apache-2.0
#include "tile/piece.h"

#include <algorithm>
#include <cstdlib>

namespace tessera::detail {
namespace {

// The values of a quotient's base in a tile: `size` consecutive numbers that begin at a multiple of the size.
// If the base falls, they end there.
struct AlignedBase {
  Expr size = Expr::constant(1);
  Index most = 1;
  TileConstraint when;
  bool falling = false;
};

// Recognizes mixed radix: x_0 * c_0 + x_1 * c_1 + ..., where each coefficient is the next one times the next
// extent, and the last one is 1. The values are consecutive if the sizes are 1 for the first variables, then
// any size for one, then full sizes.
std::optional<AlignedBase> aligned_base(const Frame& frame, const ExprView& base) {
  struct AlignedTerm {
    Index coefficient;
    const VariableBlock* block;
  };
  std::vector<AlignedTerm> parts;
  for (const DigitTerm& term : base.terms) {
    if (!term.is_variable()) return std::nullopt;
    const VariableBlock& block = frame.blocks[static_cast<std::size_t>(term.base.value())];
    if (block.runtime || block.stride != 1 || !block.aligned) return std::nullopt;
    parts.push_back({term.coefficient, &block});
  }
  if (parts.empty()) return std::nullopt;
  AlignedBase out;
  out.falling = parts[0].coefficient < 0;
  for (AlignedTerm& part : parts) {
    if ((part.coefficient < 0) != out.falling) return std::nullopt;
    part.coefficient = std::abs(part.coefficient);
  }
  std::ranges::sort(parts, std::ranges::greater(), &AlignedTerm::coefficient);
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
      const VariableBlock& block = *parts[i].block;
      if (i < middle) all = both(all, size_is(block.size, 1));
      if (i > middle) all = both(all, size_is(block.size, block.extent));
      if (i == middle && i > 0)
        all = both(all, TileConstraint::in(mod(Expr::constant(block.extent), block.size), {0, 0}));
    }
    cases = either(cases, all);
  }
  out.when = std::move(cases);
  for (const AlignedTerm& part : parts) out.size = part.block->size * out.size;
  const Index shift = out.falling ? base.constant + 1 : base.constant;
  if (shift != 0) out.when = both(out.when, TileConstraint::in(mod(Expr::constant(shift), out.size), {0, 0}));
  return out;
}

std::vector<Index> changing(const Frame& frame, const DigitTerm& term) {
  std::vector<Index> out;
  for (const Index v : term.variables) {
    const VariableBlock& block = frame.blocks[static_cast<std::size_t>(v)];
    if (!block.runtime && block.extent > 1) out.push_back(v);
  }
  return out;
}

// floor(base / divisor), where no other term of the map uses the variables. The values are consecutive if no
// step of a variable skips a value, whatever the offset is.
std::optional<Piece> lone_quotient(const Frame& frame, const DigitTerm& term, const ExprView& base,
                                   bool alone) {
  if (term.modulus != 0) return std::nullopt;
  for (const DigitTerm& part : base.terms) {
    if (!part.is_variable()) return std::nullopt;
    const auto v = static_cast<std::size_t>(part.base.value());
    const VariableBlock& block = frame.blocks[v];
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
  out.whole = frame.all_whole(out.variables) && out.size.is_constant();
  // The quotient of an index beyond the end is also beyond the last quotient, or is equal to a quotient that
  // is read.
  out.ordered = base.terms.size() == 1;
  out.edges = frame.whole_tiles(out.variables);
  // If the quotient falls, the last index has the first quotient.
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
  const auto divides = [](Expr a, Expr b) { return TileConstraint::in(mod(b, a), {0, 0}); };
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
  // A shift may put one more quotient or remainder into the range than into a tile.
  out.most = std::max(most, term.range.count().value_or(kIndexMax));
  out.whole = frame.all_whole(out.variables) && out.size.is_constant();
  out.edges = frame.whole_tiles(out.variables);
  return out;
}

}  // namespace

namespace {

Piece piece_of(const Frame& frame, const DigitTerm& term, bool alone) {
  if (term.is_variable()) {
    const auto v = static_cast<std::size_t>(term.base.value());
    const VariableBlock& block = frame.blocks[v];
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
  // Every function has one value if its variables have one value.
  Piece out{.coefficient = term.coefficient, .variables = changing(frame, term)};
  out.regular = frame.single(out.variables);
  out.whole = true;
  return out;
}

}  // namespace

Piece make_piece(const Frame& frame, const DigitTerm& term, bool alone) {
  Piece out = piece_of(frame, term, alone);
  out.moved = std::ranges::any_of(term.variables,
                                  [&](Index v) { return frame.blocks[static_cast<std::size_t>(v)].runtime; });
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

}  // namespace tessera::detail
