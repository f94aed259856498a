// SPDX-License-Identifier: Apache-2.0
/// \file
/// The search for the text of a sum.
#pragma once

#include "expr/spelling/term_text.h"

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

/// A greedy search for a short text of a sum. Stores the text found so far, the rest, whose summands would be
/// written separately, and the best proposal for a part of the rest. A proposal counts only if it makes the
/// whole text cheaper.
class TextSearch {
 public:
  TextSearch(Workspace& ws, const Form* form);

  Workspace& workspace() const { return ws_; }
  const Sum& rest() const { return rest_; }

  /// Proposes factor * (numerator op divisor) + constant, which leaves `rest`. The numerator is spelled only
  /// if the proposal can still be the best.
  void propose(const Sum& rest, Index factor, ExprKind op, const Sum& numerator, Index divisor,
               Index constant = 0);
  void propose(const Sum& rest, ScaledText text, Index constant = 0);
  /// As above, but the proposal counts only if it makes the text shorter by a division.
  void propose_fewer_divisions(const Sum& rest, Index factor, ExprKind op, const Sum& numerator,
                               Index divisor);
  /// Applies the best proposal; false if there is none.
  bool take_best();
  /// The text found so far plus the rest, every summand of which is written separately.
  Text text();

 private:
  void propose_factor_inside(const Sum& rest, Index factor, const Sum& numerator, Index divisor,
                             Index constant);
  void propose_unscaled(const Sum& rest, Index factor, ExprKind op, const Sum& numerator, Index divisor,
                        Index constant, const FormAtom* scaled);
  bool shares(Index k, std::span<const Term> terms) const;
  SumCost cost_of(const Sum& rest, Index constant);

  Workspace& ws_;
  Sum rest_;
  TextSum done_;
  SumCost done_cost_;
  Cost least_;
  Sum best_rest_;
  ScaledText best_{};
  Index best_constant_ = 0;
  bool improved_ = false;
};

}  // namespace tessera::detail
