// SPDX-License-Identifier: Apache-2.0
/// \file
/// Indices that two runs have in common.
#pragma once

#include <span>
#include <vector>

#include "tessera/reshard/distribution.h"

namespace tessera::detail {

/// Indices that two runs have in common, with the local index that each run gives them. Interval k begins at
/// lower + k * step and has `length` indices. Its local indices begin at a + k * a_step and b + k * b_step.
struct RunMeet {
  Index lower = 0;
  Index length = 1;
  Index count = 1;
  Index step = 0;
  Index a = 0;
  Index a_step = 0;
  Index b = 0;
  Index b_step = 0;
  Index size() const { return length * count; }
};

/// Appends the indices that two runs have in common, as at most min((sum of lengths) / gcd(steps) + 1, sum of
/// counts) entries.
void intersect(const IndexRun& a, const IndexRun& b, std::vector<RunMeet>& out);

/// All indices that two parts have in common, ordered by first index.
std::vector<RunMeet> intersect(const DimPart& a, const DimPart& b);

/// Sorts runs and joins those that continue each other.
void join_runs(std::vector<IndexRun>& runs);

/// The parts of one cut of n indices into `count` parts. Requires that explicit sizes sum to n.
std::vector<DimPart> cut_parts(const DimCut& cut, Index count, Index n);

/// For each local index of a part, the index in the array.
std::vector<Index> indices_of(const DimPart& part);

/// The part `inner` of the local indices of `outer`, expressed in the indices of `outer`.
DimPart nested_part(const DimPart& outer, const DimPart& inner);

}  // namespace tessera::detail
