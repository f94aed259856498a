// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which devices hold equal arrays before a collective, by the shardings of the program's parameters.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "hlo/devices/device_classes.h"
#include "tessera/hlo/module.h"

namespace tessera::detail {

/// The devices that hold equal arrays.
struct HeldArray {
  DeviceClasses::Name classes = DeviceClasses::kOneClass;
  /// Whether it is known for all that the array depends on: each parameter has a sharding, and nothing comes
  /// from outside, is random, or is computed by a library.
  bool stated = true;
};

/// The operands of the collectives of a partitioned program, as they are in all runs.
struct HeldArrays {
  /// Null if the program is not followed: unless it has one replica and 2 to 1024 partitions, and if it is
  /// too large or calls too deep.
  std::shared_ptr<DeviceClasses> classes;
  /// For each collective, what is held of its operands; those that do not run have no entry.
  std::unordered_map<const Instruction*, std::vector<HeldArray>> operands;
};

/// Follows the program from `start`, with the parameters' `sharding` attributes: equal operands give equal
/// results on all devices, but for what the number of the device, random numbers and collectives bring in.
/// O(instructions), and those of loops as often as their state changes, at most 4 times.
HeldArrays held_arrays(const Computation& start);

}  // namespace tessera::detail
