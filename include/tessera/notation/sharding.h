// SPDX-License-Identifier: Apache-2.0
/// \file
/// Shardings: which devices hold an element, and its index in their local arrays.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/base/result.h"

namespace tessera {

/// Device numbers without a list: 0, 1, ... as a row-major array of shape `reshape`, transposed so that
/// dimension k of the result is its dimension transpose[k], and flattened. Canonical: extents of 1 are
/// dropped (unless alone) and adjacent dimensions merged.
struct IotaDevices {
  std::vector<Index> reshape;
  std::vector<Index> transpose;  ///< a permutation; {0} if `reshape` has one extent
  friend bool operator==(const IotaDevices&, const IotaDevices&) = default;
};

/// How the devices of a subgroup dimension hold the data.
enum class SubgroupKind : std::uint8_t { replicated, manual, maximal, unreduced };

/// A sharding of one array. tiled: the first entries of `tile_assignment` cut the array's dimensions into
/// shards of extent ceil(extent / entry), and further entries are subgroups whose kinds `subgroups` lists;
/// device numbers fill the assignment in row-major order. maximal: one device holds the whole array.
/// replicated: every device does.
class Sharding {
 public:
  enum class Kind : std::uint8_t { replicated, maximal, manual, unknown, unreduced, tiled };

  Sharding() = default;
  /// replicated, manual, unknown or unreduced.
  explicit Sharding(Kind kind) : kind_(kind) {}
  static Sharding maximal(Index device);
  /// A tiled sharding with a list of devices. Errors: device_count (the list is not as long as the
  /// assignment, has only one device, repeats a device, or has a negative one; more subgroups than
  /// entries).
  static Result<Sharding> tiled(std::vector<Index> tile_assignment, std::vector<Index> devices,
                                std::vector<SubgroupKind> subgroups);
  /// A tiled sharding with computed device numbers. Errors: device_count, iota_perm (`transpose` is not a
  /// permutation), overflow.
  static Result<Sharding> tiled(std::vector<Index> tile_assignment, IotaDevices devices,
                                std::vector<SubgroupKind> subgroups);

  Kind kind() const { return kind_; }
  /// The device of a maximal sharding.
  Index device() const { return device_; }
  std::span<const Index> tile_assignment() const { return tile_assignment_; }
  std::span<const SubgroupKind> subgroups() const { return subgroups_; }
  /// The rank of the array that a tiled sharding applies to.
  std::size_t rank() const { return tile_assignment_.size() - subgroups_.size(); }
  Index device_count() const { return device_count_; }
  const std::optional<IotaDevices>& iota() const { return iota_; }
  /// The device at a flat position of the assignment, without building a list. O(reshape rank).
  Index device_at(Index flat) const;
  /// The flat position of a device in the assignment, or nothing. O(reshape rank), or O(list).
  std::optional<Index> place_of(Index device) const;
  /// All devices, row-major.
  std::vector<Index> devices() const;
  /// `shard_as`, `shard_like` and `metadata` parts, verbatim.
  std::string extra = {};

  friend bool operator==(const Sharding&, const Sharding&) = default;

 private:
  Kind kind_ = Kind::replicated;
  Index device_ = 0;
  std::vector<Index> tile_assignment_;
  std::vector<Index> list_;
  std::optional<IotaDevices> iota_;
  std::vector<SubgroupKind> subgroups_;
  Index device_count_ = 0;
};

/// One sharding: `{devices=[2,2]<=[2,2]T(1,0) last_tile_dim_replicate}`, `{maximal device=3}`, and the form
/// over a mesh, `{mesh['x'=2,'y'=4], [{'x'}, {}]}`, which becomes the tiled form (unused axes replicate).
/// Errors: syntax, number_range, unknown_name (an axis that the mesh does not have), duplicate_name (an axis
/// used twice), and those of Sharding::tiled; each with its span.
Result<Sharding> parse_sharding(std::string_view text);

/// One sharding, or several in the braces of a tuple: `{{replicated}, {devices=[2]<=[2]}}`.
Result<std::vector<Sharding>> parse_shardings(std::string_view text);

/// Canonical text: equal device orders have one spelling. parse_sharding(to_string(x)) == x.
std::string to_string(const Sharding& sharding);

}  // namespace tessera
