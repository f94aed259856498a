// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which elements of the parameters of a program one element of an instruction reads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hlo/analysis/parameter_reads.h"
#include "tessera/base/result.h"
#include "tessera/map/map_algebra.h"

namespace tessera {

/// Elements of an array: in dimension k, the indices [lower[k], upper[k]).
struct ElementBox {
  std::vector<Index> lower;
  std::vector<Index> upper;
  friend bool operator==(const ElementBox&, const ElementBox&) = default;
};

/// Elements of one array of a parameter, on the replica that runs the program or after the same hops.
struct ParameterElements {
  std::uint32_t parameter = 0;
  std::uint32_t leaf = 0;
  std::vector<ReplicaHop> replica = {};
  IndexingSet maps = {};  ///< at the index: maps without dimensions
  /// The elements that the maps contain for any value of the variables that are not set, as disjoint boxes in
  /// row-major order. Empty if there are more than detail::kHloLimits.analysis.listed_points points, or if a
  /// map is unknown.
  std::vector<ElementBox> boxes = {};
  Count count = {};                       ///< of these elements; without an upper bound if a map is unknown
  std::vector<std::string> depends = {};  ///< the runtime values that are not set and choose among them
  /// exact: these are the elements that are read or, if `depends` is not empty, those that some values of the
  /// variables read.
  Exactness exactness = Exactness::exact;
  std::vector<std::string> reasons = {};  ///< why it is not exact
  bool listed() const { return exactness != Exactness::unknown && (!boxes.empty() || count.upper == 0); }
};

/// The elements that the output's element at `index` reads, by parameter and leaf; without an entry if
/// nothing is read. Runtime values that are read at the same place have the same value. Errors:
/// index_out_of_range (no such output or element), rank_mismatch, bad_option (two names of one value have
/// different values).
Result<std::vector<ParameterElements>> elements_at(const ParameterReads& reads, std::uint32_t output,
                                                   std::span<const Index> index);

}  // namespace tessera
