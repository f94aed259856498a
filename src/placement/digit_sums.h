// SPDX-License-Identifier: Apache-2.0
/// \file
/// Chains of digits and replicas of sums, in the forms in which they can be compared.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tessera/placement/placement.h"

namespace tessera::detail {

/// The function of one axis: a digit and its stride, slowest first.
struct AxisDigit {
  Index extent = 1;
  Index stride = 0;
  friend bool operator==(const AxisDigit&, const AxisDigit&) = default;
};

/// What the digits contribute to one axis, with neighbors joined: a normal form of functions of the flat
/// index.
std::vector<AxisDigit> axis_chain(std::span<const PlacementDigit> digits, std::size_t axis);

/// The smallest flat index at which two joined chains of one size differ; empty if they are the same
/// function.
std::optional<Index> first_unequal(std::span<const AxisDigit> a, std::span<const AxisDigit> b);

/// Digits without extent 1, with neighbors joined that count on. The function of the flat index stays.
std::vector<PlacementDigit> joined_digits(std::span<const PlacementDigit> digits);

/// A set of replicas around its smallest element.
struct ReplicaSet {
  std::vector<PlacementDigit> digits;  ///< their steps are above 0 in lexicographic order; sorted and joined
  std::vector<Index> lowest;           ///< the smallest place, relative to the offset
};
ReplicaSet replica_set(std::span<const PlacementDigit> replicas, std::size_t axes);

/// The sums of all combinations, distinct and ascending; empty beyond kMaxReplicas combinations.
std::optional<std::vector<Place>> all_sums(std::span<const PlacementDigit> digits, std::size_t axes);

/// The same placement as an exclusive or without a swizzle: extents that are powers of two, and sums in which
/// no bit is added twice. Empty for any other.
std::optional<PlacementDigits> exclusive_or_form(const PlacementDigits& digits);

}  // namespace tessera::detail
