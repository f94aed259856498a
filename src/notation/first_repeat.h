// SPDX-License-Identifier: Apache-2.0
/// \file
/// The first offset that occurs twice, by enumeration.
#pragma once

#include <functional>
#include <optional>

#include "tessera/base/index.h"

namespace tessera::detail {

/// How far it is enumerated whether two indices share an offset, if nothing else decides it.
struct CollisionLimits {
  Index sorted = Index{1} << 22;  ///< offsets that are sorted: 64 MB
  Index marked = Index{1} << 26;  ///< offsets that are marked in a bitmap, if they are close to each other
  Index places = Index{1} << 30;  ///< bits of this bitmap: 128 MB
  Index corner = Index{1} << 20;  ///< indices at the corner of a layout that may have more: 0.1 s
  int steps = 1'000'000;          ///< of the search for differences of digits
};
inline constexpr CollisionLimits kCollisions = {};

/// Numbers with one value, the second of them as small as possible.
struct Repeat {
  Index first = 0;
  Index second = 0;
};
struct RepeatSearch {
  bool decided = true;
  std::optional<Repeat> found = {};
};

/// Calls its argument with the value of each number 0, 1, ..., until it returns false.
using EachValue = std::function<void(const std::function<bool(Index)>&)>;

/// Undecided for more than kCollisions.marked values, or for more than kCollisions.sorted that are far apart.
RepeatSearch first_repeat(Index count, const EachValue& each);

}  // namespace tessera::detail
