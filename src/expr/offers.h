// SPDX-License-Identifier: Apache-2.0
/// \file
/// Builds the text of a sum.
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

/// The text so far, the rest, whose summands would be written separately, and the best offer of a text for
/// part of the rest. An offer is good if it lowers the cost of the whole.
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
  /// Appends the best offer to the text; false if none was good.
  bool take_best();
  /// The text so far and the rest.
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
