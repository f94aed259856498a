// SPDX-License-Identifier: Apache-2.0
/// \file
/// The exact search for the bank map of three and more accesses.
#pragma once

#include <optional>
#include <vector>

#include "algebra/bit_space.h"
#include "tessera/base/index.h"

namespace tessera::detail {

/// Accesses to a tile of 2^n bytes, of which a fix moves blocks of 2^m bytes. See linear_swizzle.cc.
struct BankMapProblem {
  int m = 0;
  int n = 0;
  int b = 0;     ///< the line bits begin here, for the access with the most banks
  BitSpace all;  ///< H: the address bits from m to n
  struct One {
    BitSpace span;  ///< S within H
    int beta;       ///< bank bits at or above bit m
    Index cost;
  };
  std::vector<One> accesses;
};

/// The subspace N that becomes the line bits.
struct BestBankMap {
  std::optional<BitSpace> lines;  ///< empty if none costs less than the bound
  bool complete = true;           ///< false: the limit of 2,000,000 nodes was reached
};
/// The least cost below `bound`; stops at a cost of `floor`. Requires that all accesses have the same banks.
BestBankMap best_bank_map(const BankMapProblem& problem, Index bound, Index floor);

}  // namespace tessera::detail
