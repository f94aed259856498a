// SPDX-License-Identifier: Apache-2.0
/// \file
/// The offset of a lane as a sum of a part for the lane and a part for the warp and the values.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "access/start_counts.h"
#include "expr/questions/view.h"
#include "tessera/map/index_map.h"

namespace tessera::detail {

/// The first two variables of the map that SplitOffsets splits.
inline constexpr Index kLaneVariable = 0;
inline constexpr Index kWarpVariable = 1;

/// Variables on which the start of a warp depends jointly; no other part contains any of them.
struct StartPart {
  std::vector<Index> variables = {};
  std::vector<DigitTerm> terms = {};
  std::vector<Constraint> constraints = {};

  bool shares(std::span<const Index> others) const {
    return std::ranges::any_of(others,
                               [&](Index v) { return std::ranges::find(variables, v) != variables.end(); });
  }
  void take(StartPart&& other) {
    const auto append = [](auto& to, auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    append(variables, other.variables);
    append(terms, other.terms);
    append(constraints, other.constraints);
    std::ranges::sort(variables);
    variables.erase(std::ranges::unique(variables).begin(), variables.end());
  }
};

/// f(lane) + g(warp, values), with g split into parts that share no variables.
class SplitOffsets {
 public:
  /// Splits the result of a map over (lane, warp, values...), in elements. Empty if it is not such a sum, or
  /// if a constraint is on the lane and on others. Parts with several variables or overlapping digits are
  /// enumerated, up to `most_points` values each.
  static std::optional<SplitOffsets> make(const IndexMap& map, Index most_points);

  /// Offsets of the lanes, in bytes, and which of the lanes in `active` take part. Empty if an address is
  /// beyond 2^61.
  std::optional<LanePattern> lanes(Index element_bytes, std::uint64_t active, Index vector) const;
  /// Where the instructions of the warps below `end` start, in bytes. Empty if a part has too many values.
  std::optional<StartCounts> starts(Index modulus, Index element_bytes, Index end) const;
  Index warps() const { return box_[kWarpVariable].upper + 1; }

 private:
  explicit SplitOffsets(Index most_points) : most_points_(most_points) {}
  void add(StartPart part);
  Interval bounds(Index variable, Index end) const;
  std::optional<StartCounts> starts_of(const StartPart& part, Index modulus, Index element_bytes,
                                       Index end) const;
  std::optional<StartCounts> enumerated(const StartPart& part, Index modulus, Index element_bytes,
                                        Index end) const;

  Index most_points_;
  std::vector<Interval> box_ = {};
  Index constant_ = 0;
  Expr lane_ = {};
  std::vector<Constraint> lane_constraints_ = {};
  std::vector<StartPart> parts_ = {};
};

/// Whether the expression uses the variable.
bool mentions(Expr e, Index variable);

}  // namespace tessera::detail
