// SPDX-License-Identifier: Apache-2.0
/// \file
/// The first offset that occurs twice, by enumeration.
#pragma once

#include <functional>
#include <optional>

#include "tessera/base/index.h"

namespace tessera::detail {

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

/// Undecided for more than kNotationLimits.collisions.marked values, or for more than
/// kNotationLimits.collisions.sorted that are far apart.
RepeatSearch first_repeat(Index count, const EachValue& each);

}  // namespace tessera::detail
