// SPDX-License-Identifier: Apache-2.0
// The results of a map with names for sizes as sums of digits of its variables, in one case of sizes: what
// the inverse, the count and the image are computed from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "notation/symbolic/map_forms.h"

namespace tessera::symbolic {

/// floor(x / div) mod the next divisor, where x is a variable of the map less its lower end.
struct MapDigit {
  std::size_t dim = 0;
  Polynomial div = 1;
  Polynomial last = {};       ///< the largest value
  SizeVariable variable = 0;  ///< what results call it
};

/// A sum of digits times forms of sizes, and a form of sizes.
struct DigitSum {
  std::vector<Polynomial> factors = {};  ///< by digit
  Polynomial constant = {};
};

struct MapDigits {
  std::vector<MapDigit> digits = {};
  std::vector<DigitSum> sums = {};
  std::vector<bool> whole = {};  ///< by variable: every combination of its digits is in the domain
};

/// The digits of forms of the map. Fails in `forms` if a form is not such a sum.
MapDigits digits_of(const std::vector<Polynomial>& results, MapForms& forms);

/// The sign of a form of sizes, by decisions.
int sign_of(const Polynomial& form, MapForms& forms);

/// Some digits of a sum, their factors taken as positive, ascending.
std::vector<std::size_t> by_factor(const DigitSum& sum, std::vector<std::size_t> digits, MapForms& forms);

}  // namespace tessera::symbolic
