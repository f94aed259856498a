// SPDX-License-Identifier: Apache-2.0
/// \file
/// The text of a sum under construction.
#pragma once

#include "expr/piece.h"

namespace tessera::detail {

/// The cost of a sum: the costs of its summands, and an operator between any two.
struct SumCost {
  Cost parts = 0;
  std::uint64_t count = 0;

  void add(Cost part) {
    parts = add_costs(parts, part);
    ++count;
  }
  void add_constant(Index c) {
    if (c != 0) add(c < 0 ? kOneSign : 0);
  }
  Cost total() const { return count < 2 ? parts : add_costs(parts, (count - 1) * kOneOperator); }
};

/// What is written already and the rest, each summand of which would be written on its own; and the best
/// offer of a text for part of the rest. An offer is good if the whole costs less with it.
class Offers {
 public:
  Offers(Workspace& ws, const Form* form);

  Workspace& workspace() const { return ws_; }
  const Sum& rest() const { return rest_; }

  /// Offers factor * (numerator op divisor) + constant and leaves `rest`. The numerator is spelled only if
  /// the offer can still be the best.
  void offer(const Sum& rest, Index factor, ExprKind op, const Sum& numerator, Index divisor,
             Index constant = 0);
  void offer(const Sum& rest, Piece piece, Index constant = 0);
  /// Writes the best offer down; false when none was good.
  bool take_best();
  /// What is written, and the rest.
  const Form* text();

 private:
  SumCost cost_of(const Sum& rest, Index constant);

  Workspace& ws_;
  Sum rest_;
  Sum written_;
  SumCost written_cost_;
  Cost least_;
  Sum best_rest_;
  Piece best_{};
  Index best_constant_ = 0;
  bool improved_ = false;
};

}  // namespace tessera::detail
