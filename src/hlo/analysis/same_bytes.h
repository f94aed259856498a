// SPDX-License-Identifier: Apache-2.0
/// \file
/// Whether two results of a program hold the same bytes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tessera/hlo/walk.h"
#include "tessera/map/index_map.h"
#include "tessera/map/judge.h"

namespace tessera {

/// Whether two arrays hold the same bytes in the same order, whatever the values are.
struct SameBytes {
  Verdict verdict = Verdict::undecided;
  std::string reason = {};              ///< why it is undecided, or which sizes differ
  std::optional<HloValue> source = {};  ///< the array whose elements both hold
  Index bytes = 0;                      ///< of each, with padding
  /// For `no`, unless the sizes differ: the byte, and the elements of `source` that the two hold there.
  std::optional<Index> byte = {};
  std::vector<Index> first = {};
  std::vector<Index> second = {};
  /// Unless `yes`: from an index of the second to the index at which the first holds the same element, for
  /// the elements that both hold. Empty if there is none: `places_reason` says why.
  std::optional<IndexMap> places = {};
  std::string places_reason = {};
};

/// Follows both back through copies, transposes, reshapes, slices and other movements of one array
/// (data_movement) to an array that both come from, and compares its elements at each place in memory. `yes`
/// and `no` are proved; `no` means that they differ for some values. Undecided if both come from no common
/// array, if a layout is missing, or if a limit is reached. `places` needs no layout. Exact. Cost: one
/// composition for each movement, one comparison of maps, and one inverse.
SameBytes same_bytes(const HloValue& a, const HloValue& b);

}  // namespace tessera
