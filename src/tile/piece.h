// SPDX-License-Identifier: Apache-2.0
/// \file
/// The terms of a result, and the values of each term in a tile.
#pragma once

#include "tile/frame.h"

namespace tessera::detail {

/// coefficient * x, where x takes `size` consecutive values in the tile.
struct Piece {
  Index coefficient = 1;
  Expr size = Expr::constant(1);
  Index most = 1;               ///< the largest size
  TileConstraint regular = {};  ///< sizes at which `size` is the number of values and they are consecutive
  TileConstraint edges = {};    ///< sizes at which that also holds where the array's end cuts the tile
  std::vector<Index> variables = {};  ///< variables of the map that change inside the tile
  /// The digit floor(base / divisor) mod modulus, or without mod if modulus is 0. Digits of one base at
  /// different positions are independent of each other.
  Expr base = {};
  Index divisor = 1;
  Index modulus = 0;
  bool plain = false;    ///< the piece is a variable
  bool ordered = false;  ///< rises or falls with one variable: the end of the array cuts the largest values
  bool whole = false;    ///< none of the variables belongs to a tile: the size is constant
  /// The values depend on a runtime variable, so their range over all of its values does not limit what is
  /// read with one of them.
  bool moved = false;
};

/// The piece of a term whose value changes in the tile. If `alone`, no other term of the result changes, so
/// the size may depend on the offset.
Piece make_piece(const Frame& frame, const DigitTerm& term, bool alone);

/// The condition that a size has this value.
inline TileConstraint size_is(Expr size, Index value) { return TileConstraint::in(size, {value, value}); }

/// True if the values of the two pieces never depend on each other in a tile that is regular for both.
bool independent(const Piece& a, const Piece& b);

}  // namespace tessera::detail
