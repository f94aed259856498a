// SPDX-License-Identifier: Apache-2.0
/// \file
/// Answers to questions about distributions, as text and as JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tessera/reshard/distribution.h"

namespace tessera {

/// `place 2, index 3,0, offset 3`. Several holders are separated by `; `.
std::string to_text(std::span<const ShardHolder> holders);

/// An index and its holders.
struct HoldersAnswer {
  std::vector<Index> index;
  std::vector<ShardHolder> holders;
};
/// `{"schema": "tessera.reshard/1", "action": "at", …}`. One line.
std::string to_json(const BoundDistribution& distribution, std::span<const HoldersAnswer> answers);

/// `yes`, `no at 3,0: place 2, index 0,0, offset 0 and place 1, index 1,0, offset 3`, `undecided: LIMIT`.
std::string to_text(const DistributionEquality& equality);
std::string to_json(const BoundDistribution& a, const BoundDistribution& b,
                    const DistributionEquality& equality);

/// A distribution and its form in another notation.
std::string to_json(const BoundDistribution& from, const Distribution& to);

}  // namespace tessera
