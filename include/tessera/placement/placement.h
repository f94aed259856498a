// SPDX-License-Identifier: Apache-2.0
/// \file
/// Placement: who holds an element. A box of indices, and for each index a set of places on named axes:
/// lanes, warps, registers, devices, memory. Layouts, thread-value layouts and distributions are views of it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tessera/algebra/composed_layout.h"
#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/map/index_map.h"
#include "tessera/map/judge.h"

namespace tessera {

/// memory: a cell of some memory (`m`, `TLane`). place: something that has memory or computes (a lane, a
/// device).
enum class AxisRole : std::uint8_t { memory, place };
std::string_view to_string(AxisRole role);

/// A named axis of a placement.
struct PlacementAxis {
  std::string name = {};
  AxisRole role = AxisRole::place;
  friend bool operator==(const PlacementAxis&, const PlacementAxis&) = default;
};

/// A digit in 0 <= d < extent, which adds d times `step` (one number per axis) to the place.
struct PlacementDigit {
  Index extent = 1;
  std::vector<Index> step = {};
  friend bool operator==(const PlacementDigit&, const PlacementDigit&) = default;
};

/// A swizzle of the values of one axis.
struct AxisSwizzle {
  std::size_t axis = 0;
  Swizzle swizzle = {};
  friend bool operator==(const AxisSwizzle&, const AxisSwizzle&) = default;
};

/// How the contributions of digits combine. exclusive_or: every extent is 2 and no number is negative, so the
/// place is linear over F2.
enum class DigitCombination : std::uint8_t { sum, exclusive_or };

/// A placement by digits. The flat row-major number of the index splits into `index` digits, the last one
/// fastest; their extents multiply to the number of indices. The digits of `replicas` take all their values.
/// The place is `offset` combined with all of them, then the swizzle.
struct PlacementDigits {
  std::vector<PlacementDigit> index = {};
  std::vector<PlacementDigit> replicas = {};
  std::vector<Index> offset = {};  ///< one per axis
  DigitCombination combination = DigitCombination::sum;
  std::optional<AxisSwizzle> swizzle = {};
  friend bool operator==(const PlacementDigits&, const PlacementDigits&) = default;
};

/// One value for each axis.
using Place = std::vector<Index>;

/// For each index of a box the set of places that hold it. Immutable. Every index has a place, or, if it is
/// given by maps, none if no map has a value there. Axes have distinct names, and values are strictly between
/// -2^62 and 2^62.
class Placement {
 public:
  /// Errors: bad_extent (an extent below 0; a digit with an extent below 1), value_count (a step or an offset
  /// without one number per axis), duplicate_name, shape_mismatch (the digits have another number of
  /// indices), not_applicable (a digit of an exclusive or that is not a bit), bad_swizzle,
  /// index_out_of_range (an axis that does not exist, a negative value before a swizzle or an exclusive or),
  /// overflow.
  static Result<Placement> make(std::vector<Index> shape, std::vector<PlacementAxis> axes,
                                PlacementDigits digits);
  /// A list of maps from an index (dimensions) and replica coordinates (range variables) to one result per
  /// axis. The places of an index are those of all maps whose domain has it; domains are usually disjoint.
  /// Errors: also rank_mismatch and value_count (a map of another form), limit (more than kMaxMaps).
  static Result<Placement> make(std::vector<Index> shape, std::vector<PlacementAxis> axes,
                                std::vector<IndexMap> maps);

  std::span<const Index> shape() const { return shape_; }
  std::size_t rank() const { return shape_.size(); }
  Index size() const { return size_; }
  std::span<const PlacementAxis> axes() const { return axes_; }
  /// The number of the axis with this name.
  std::optional<std::size_t> axis(std::string_view name) const;
  /// The digits, if the placement was made from them.
  const PlacementDigits* digits() const { return std::get_if<PlacementDigits>(&form_); }
  /// The maps, if the placement was made from them.
  const std::vector<IndexMap>* given_maps() const { return std::get_if<std::vector<IndexMap>>(&form_); }
  /// The maps: those from which it was made, or the one map of its digits. Not simplified.
  std::vector<IndexMap> maps() const;
  /// How many combinations of replica coordinates there are at most for one index, without digits that move
  /// nothing; two of them may be the same place. Empty beyond 64 bits.
  std::optional<Index> replicas() const;

  static constexpr std::size_t kMaxMaps = std::size_t{1} << 20;

  /// Whether both were made from the same parts. Two placements that differ here may be the same relation:
  /// see `equal`.
  friend bool operator==(const Placement&, const Placement&) = default;

 private:
  Placement() = default;
  std::vector<Index> shape_;
  Index size_ = 0;
  std::vector<PlacementAxis> axes_;
  std::variant<PlacementDigits, std::vector<IndexMap>> form_;
};

/// The most places of one index that `places` lists.
inline constexpr Index kMaxReplicas = Index{1} << 20;

/// The places of an index, distinct and in lexicographic order. Exact. Errors: rank_mismatch,
/// index_out_of_range, limit (more than kMaxReplicas combinations), overflow (a map).
Result<std::vector<Place>> places(const Placement& placement, std::span<const Index> index);

/// The answer of `equal`. For `no`, either `reason` is `shape` or `axes`, or `at` is the first index in
/// row-major order whose sets of places differ. For `undecided`, `reason` is the limit.
struct PlacementEquality {
  Verdict verdict = Verdict::yes;
  std::string reason = {};
  std::vector<Index> at = {};
  std::vector<Place> a = {};  ///< the places of `at`, on the axes of a
  std::vector<Place> b = {};
};

/// Whether every index has the same set of places in both. Axes correspond by name: a memory axis that one
/// does not have is 0 there, but different place axes are different placements, because a placement that
/// names no warp says nothing about warps. Sums of digits are decided by their chains, at any size: the
/// places of x are D(x) + O + R, and the smallest element of a translated set is the translated smallest
/// element. Exclusive ors are decided by elimination, equal swizzles by what is swizzled; anything else is
/// enumerated, up to 2^24 places. Exact.
PlacementEquality equal(const Placement& a, const Placement& b);

/// `warpid 6, laneid 31, m 1`.
std::string to_string(const Place& place, std::span<const PlacementAxis> axes);
/// `{warpid 2, laneid 3}`; ` and ` between several, `nothing` for none.
std::string to_string(std::span<const Place> places, std::span<const PlacementAxis> axes);

}  // namespace tessera
