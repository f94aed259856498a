// SPDX-License-Identifier: Apache-2.0
/// \file
/// The text of one summand.
#pragma once

#include "expr/spelling/text.h"

namespace tessera::detail {

/// One way to write a summand: factor * text.
struct ScaledText {
  Index factor;
  Text text;
};
Cost cost(ScaledText text);

/// Multiplies a sum by the modulus m of one of its scaled variables, which then becomes x - residue. Adding
/// up to m-1 to the multiple changes no quotient by a multiple of m: adds what turns x - residue into x, if
/// it is as small, and returns what was added.
Index unscale(Sum& sum, const FormAtom* scaled);

/// factor * atom as a separate summand. A quotient is written fl(M/n), or, with a negative factor, also
/// -fl((-M + n-1)/n), or as a ceiling if adding n-1 overflows 64 bits.
ScaledText spell_term(Workspace& ws, Index factor, const FormAtom* atom);
/// The cost of the summand, including its sign and factor.
inline Cost term_cost(Workspace& ws, const Term& term) {
  if (term.atom->kind == FormAtomKind::variable) return factor_cost(term.coefficient);
  return cost(spell_term(ws, term.coefficient, term.atom));
}

/// An operation with sorted operands (mul, min or max): constants to the right, as the construction rules
/// require, and otherwise by content.
Text ordered_operation(Workspace& ws, ExprKind op, Text a, Text b);

/// Whether the sum may overflow although all its variables are bounded, so that its text would lose points.
bool leaves_64_bits(Workspace& ws, Index constant, std::span<const Term> terms);

}  // namespace tessera::detail
