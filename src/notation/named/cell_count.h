// SPDX-License-Identifier: Apache-2.0
/// \file
/// CellCount: a number of cells whose sums and products stop at the largest Index, so that formulas need no
/// checks.
#pragma once

#include "base/saturating.h"
#include "tessera/base/index.h"

namespace tessera::detail {

/// A number that is at least 0.
class CellCount {
 public:
  constexpr CellCount(Index value)
      : value_(value) {}  // NOLINT(google-explicit-constructor): formulas mix both
  constexpr Index value() const { return value_; }
  constexpr bool fits() const { return value_ != kIndexMax; }
  friend constexpr CellCount operator*(CellCount a, CellCount b) {
    return saturating_mul(a.value_, b.value_);
  }
  friend constexpr CellCount operator+(CellCount a, CellCount b) {
    return saturating_add(a.value_, b.value_);
  }
  /// The quotient, rounded down. Requires b > 0.
  friend constexpr CellCount operator/(CellCount a, CellCount b) {
    return a.fits() ? a.value_ / b.value_ : a;
  }

 private:
  Index value_;
};

/// ceil(a / b), and the smallest multiple of b that is at least a. Requires b > 0.
constexpr CellCount ceil_of(CellCount a, CellCount b) {
  return a.fits() ? CellCount(ceil_div(a.value(), b.value())) : a;
}
constexpr CellCount up(CellCount a, CellCount b) { return ceil_of(a, b) * b; }

}  // namespace tessera::detail
