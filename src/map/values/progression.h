// SPDX-License-Identifier: Apache-2.0
/// \file
/// Expressions with evenly spaced values.
#pragma once

#include <optional>
#include <span>

#include "expr/questions/view.h"

namespace tessera::detail {

/// first, first + step, ..., first + last * step. A single value has step 0.
struct Progression {
  Index first = 0;
  Index step = 0;
  Index last = 0;  ///< the number of values minus one
};

/// All values of an expression over a box, for sums, multiples, quotients and remainders by constants. Empty
/// if a variable occurs in several terms, the values are not evenly spaced, or there may be points without a
/// value.
std::optional<Progression> progression(Expr expr, std::span<const Interval> box);
/// The values of one term of a view over the box.
std::optional<Progression> progression(const DigitTerm& term, std::span<const Interval> box);

}  // namespace tessera::detail
