// SPDX-License-Identifier: Apache-2.0
/// \file
/// Index arithmetic that records overflow.
#pragma once

#include "tessera/base/index.h"

namespace tessera::detail {

/// An integer that becomes invalid, and stays so, when an operation overflows 64 bits.
class Checked {
 public:
  constexpr Checked(Index value) : value_(value) {}  // NOLINT: meant to be implicit
  constexpr bool valid() const { return valid_; }
  /// Requires a valid value.
  constexpr Index value() const { return value_; }

  friend constexpr Checked operator+(Checked a, Checked b) {
    Checked r(0);
    r.valid_ = !add_overflows(a.value_, b.value_, r.value_) && a.valid_ && b.valid_;
    return r;
  }
  friend constexpr Checked operator-(Checked a, Checked b) {
    Checked r(0);
    r.valid_ = !sub_overflows(a.value_, b.value_, r.value_) && a.valid_ && b.valid_;
    return r;
  }
  friend constexpr Checked operator*(Checked a, Checked b) {
    Checked r(0);
    r.valid_ = !mul_overflows(a.value_, b.value_, r.value_) && a.valid_ && b.valid_;
    return r;
  }

 private:
  Index value_ = 0;
  bool valid_ = true;
};

}  // namespace tessera::detail
