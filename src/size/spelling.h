// SPDX-License-Identifier: Apache-2.0
// Polynomials and conditions as size terms, which parse back.
#pragma once

#include <string>
#include <vector>

#include "size/region.h"
#include "size/term.h"

namespace tessera::symbolic {

/// `4*M*N - 8*(N/8) + 1`: monomials by degree, highest first, then by name. A text that is one quotient has
/// no brackets: `ceil_div(N,8)`, `N/8`.
std::string spelled(const Polynomial& p, const Space& space);
/// The same number in a region, where quotients that the region makes exact are fractions: `M*N/8`.
std::string spelled(const Polynomial& p, const SizeRegion& region);
/// `N % 8 == 0`, `K >= M + 1`, `M != 1`.
std::string spelled(const SizeCondition& c, const Space& space);
/// Conditions joined by `and`.
std::string spelled(const std::vector<SizeCondition>& conditions, const Space& space);

/// The canonical text of a term.
std::string canonical(const SizeTerm& term);
/// The text in brackets, if it is a sum or a product.
std::string bracketed(const std::string& text);
/// The text without blanks around + and -, as it is written inside a layout.
std::string compact(std::string text);

}  // namespace tessera::symbolic
