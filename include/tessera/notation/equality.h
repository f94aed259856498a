// SPDX-License-Identifier: Apache-2.0
/// \file
/// Are two layouts the same function? Proved, or the first index where they differ.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tessera/map/judge.h"
#include "tessera/notation/layout.h"

namespace tessera {

/// An index where two layouts differ, and both offsets.
struct LayoutDifference {
  std::vector<Index> index;
  Index first = 0;
  Index second = 0;
  friend bool operator==(const LayoutDifference&, const LayoutDifference&) = default;
};

struct LayoutEquality {
  Verdict verdict = Verdict::undecided;
  std::optional<LayoutDifference> difference = {};  ///< for `no`, unless something else differs
  bool smallest = true;     ///< no smaller index differs (row-major); false only beyond the limits
  std::string word = {};    ///< what else differs: `different_shape`, `text`, `structure`, `buffer_size`, ...
  std::string reason = {};  ///< the same in a sentence; for `undecided` the limit that was reached
};

/// What may be ignored, and how far a proof may go.
struct LayoutEqualityOptions {
  bool ignore_unit_dims = false;  ///< dimensions of extent 1 are left out of both first, also of the index
  JudgeLimits judge = {};         ///< of the last resort, isl
};

/// Same map: equal shapes and one function on the box. Cheapest first: digits (O(digits), of any size), bases
/// over F2 (O(bits)), tables of each set of dimensions that interact (up to kTableLimit points), then isl.
/// Exact; a `no` carries the smallest index in row-major order.
LayoutEquality same_map(const Layout& a, const Layout& b, const LayoutEqualityOptions& options = {});

/// Same map, and equal buffer size, element width and splits.
LayoutEquality same_storage(const Layout& a, const Layout& b, const LayoutEqualityOptions& options = {});

/// The smallest index where two normal forms on one box differ, or nothing where they are the same function.
/// O(digits).
std::optional<LayoutDifference> first_difference(const Digits& a, const Digits& b);

}  // namespace tessera
