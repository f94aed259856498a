// SPDX-License-Identifier: Apache-2.0
/// \file
/// Whether a map sends different dimension points to different values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tessera/map/judge.h"

namespace tessera::detail {

/// Two dimension points with the same value.
struct Collision {
  std::vector<Index> first;
  std::vector<Index> second;
  std::vector<Index> value;
};

struct InjectivityAnswer {
  Verdict verdict = Verdict::undecided;
  std::optional<Collision> collision = {};  ///< for `no`
  std::string reason = {};                  ///< for `undecided`: the limit
};

/// Whether different dimension points have different values, for each value of the runtime variables. Decided
/// by enumeration of the box or its lower corner, up to limits.points and 2^20, then by isl. Exact.
InjectivityAnswer is_injective(const IndexMap& map, const JudgeLimits& limits);

}  // namespace tessera::detail
