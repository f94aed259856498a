// SPDX-License-Identifier: Apache-2.0
/// \file
/// Converts expressions and layouts to terms.
#pragma once

#include <span>
#include <vector>

#include "code/terms.h"
#include "tessera/base/result.h"
#include "tessera/expr/expr.h"
#include "tessera/notation/layout.h"

namespace tessera::coding {

/// The expression, with variables[i] in place of variable i. Errors: not_applicable (a division by a
/// variable), undefined_value (a division by 0), overflow (a number too large to negate).
Result<TermId> lower(Terms& terms, Expr expr, std::span<const TermId> variables);

/// The offset of the index whose entry in dimension i is index[i]. Errors: as for expressions.
Result<TermId> lower(Terms& terms, const Layout& layout, std::span<const TermId> index);

/// An index, computed from an offset. It is the index at that offset if every dimension lies in the layout's
/// box, every condition lies in its interval and, if `check` is set, the layout maps it back to the offset.
/// Otherwise no element has the offset.
struct InverseTerms {
  std::vector<TermId> index = {};
  std::vector<Condition> conditions = {};
  bool check = false;
};

/// Requires that `offset` lies between the smallest and the largest offset of the layout. Errors:
/// not_invertible, undecided.
Result<InverseTerms> invert(Terms& terms, const Layout& layout, TermId offset);

}  // namespace tessera::coding
