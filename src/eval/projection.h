// SPDX-License-Identifier: Apache-2.0
// Projections of partitions, CuTe's Step<_1,X,_1>.
#pragma once

#include <optional>

#include "eval/function.h"

namespace tessera::eval {

/// The modes of a tiler, a coordinate or a thread layout that a projection keeps: those paired with an
/// integer. Of the modes (M,N,K) of a tile, `(_1,X,_1)` keeps those of the first operand of a product of
/// matrices.
class Projection {
 public:
  /// Keeps every mode.
  Projection() = default;
  /// The projection that argument `index` of a call is. Errors: argument_type (no flat tuple, or one that
  /// keeps nothing).
  static Result<Projection> make(const Call& call, std::size_t index, const std::optional<Coord>& projection);

  // The kept modes. Errors of all: rank_mismatch (another number of modes; a coordinate may have fewer).
  tessera::detail::Outcome<Tiler> of(const Tiler& t) const;
  tessera::detail::Outcome<Coord> of(const Coord& c) const;
  tessera::detail::Outcome<StridedLayout> of(const StridedLayout& l) const;

 private:
  bool is_all() const { return projection_.tuple.is_integer(); }
  int rank() const { return projection_.tuple.rank(); }
  bool keeps(int mode) const { return !projection_.is_hole(mode); }
  tessera::detail::AlgebraError mismatch(int other) const;

  Coord projection_ = Coord(IntTuple(0));
};

}  // namespace tessera::eval
