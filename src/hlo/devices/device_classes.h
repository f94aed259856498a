// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which devices are known to hold equal arrays.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/notation/sharding.h"

namespace tessera::detail {

/// Classes of devices: a number for each device, and devices with one number hold equal arrays. Devices with
/// different numbers may, too. Classes that are the same have one name.
class DeviceClasses {
 public:
  using Name = std::uint32_t;
  static constexpr Name kOneClass = 0;  ///< all devices hold the same
  static constexpr Name kApart = 1;     ///< nothing is known of any two devices

  /// Requires devices >= 1.
  explicit DeviceClasses(std::size_t devices);

  std::size_t devices() const { return devices_; }
  std::span<const std::uint32_t> of(Name name) const { return classes_[name]; }
  bool equal(Name name, std::size_t a, std::size_t b) const { return classes_[name][a] == classes_[name][b]; }
  /// The name of the classes in which devices with equal keys are together.
  Name named(std::span<const std::uint32_t> keys);
  /// Devices are together if they are in both.
  Name both(Name a, Name b);
  /// Of an array with a sharding over partitions: devices that hold the same part of it.
  Name of_sharding(const Sharding& sharding);
  /// What the members of a group get from all of them: devices are together if their groups have equal arrays
  /// in the same order and, if `by_position`, they have the same position. Devices in no group are apart.
  Name gathered(Name operand, const std::vector<std::vector<Index>>& groups, bool by_position);
  /// What each device gets from the source that `sources` names; -1: zeros, which are equal.
  Name sent(Name operand, std::span<const Index> sources);

 private:
  std::size_t devices_;
  std::vector<std::vector<std::uint32_t>> classes_;
  std::map<std::vector<std::uint32_t>, Name> names_;
  std::map<std::pair<Name, Name>, Name> joined_;
};

}  // namespace tessera::detail
