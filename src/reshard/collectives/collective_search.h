// SPDX-License-Identifier: Apache-2.0
/// \file
/// The search for the cheapest chain of collectives.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "reshard/collectives/collectives.h"

namespace tessera::detail {

/// A digit of the place number: place / low mod (high / low). low divides high.
struct PlaceDigit {
  Index low = 1;
  Index high = 1;
  Index size() const { return high / low; }
  friend auto operator<=>(const PlaceDigit&, const PlaceDigit&) = default;
};

/// The digits that cut each dimension, the major one first. Digits that continue each other are one digit.
using CutDigits = std::vector<std::vector<PlaceDigit>>;

/// Appends a digit below the others of a dimension.
void append_digit(std::vector<PlaceDigit>& digits, PlaceDigit digit);

/// The part of a dimension that a place holds.
Index part_of_place(std::span<const PlaceDigit> digits, Index place);

/// What the search has to reach.
struct CollectiveTask {
  std::vector<Index> shape;
  Index element_bits = 8;
  Index places = 1;
  CutDigits from;
  CutDigits to;
  std::function<std::string(std::span<const PlaceDigit>)> name;  ///< of digits, for the steps
};

/// The cheapest chain, as cheapest_collectives says.
CollectiveChain search_collectives(const CollectiveTask& task);

}  // namespace tessera::detail
