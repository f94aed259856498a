// SPDX-License-Identifier: Apache-2.0
// Terms of sizes and variables as maps write them: `d0 * N + (d1 mod 8) * 4`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "size/assumption.h"
#include "size/term.h"

namespace tessera::symbolic {

/// The text of a term in a map, which reads as the same function.
std::string in_map(const SizeTerm& term);

/// The term with numbers in place of names, and of all that has a number then.
SizeTerm with_numbers(const SizeTerm& term, const Sizes& sizes);

/// The term with other terms in place of names.
SizeTerm replaced(const SizeTerm& term, const std::map<std::string, SizeTerm>& names);

/// A polynomial over parameters and what derives from them as a term: the variables of `dims` come first, and
/// x - n*floor(x / n) is x mod n.
SizeTerm term_of(const Polynomial& p, const Space& space, const std::vector<std::string>& dims);

/// How many operators a term has, and how many of them divide.
struct TermCost {
  int operators = 0;
  int divisions = 0;
};
TermCost cost_of(const SizeTerm& term);
/// Without the operators of what has no variable of `dims`: that is computed once.
TermCost cost_of(const SizeTerm& term, const std::vector<std::string>& dims);

SizeTerm named(std::string name);
SizeTerm combined(SizeTerm::Kind kind, SizeTerm a, SizeTerm b);

}  // namespace tessera::symbolic
