// SPDX-License-Identifier: Apache-2.0
/// \file
/// What each collective of a program moves between devices.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/map/map_algebra.h"

namespace tessera::detail {

/// The bytes of one run of a collective, for each device.
struct DeviceExchange {
  const Instruction* instruction = nullptr;
  Count runs = {1, 1};
  Index members = 0;   ///< devices in a group; 0: not known
  Count operand = {};  ///< bytes that each device has
  Count result = {};   ///< bytes that each device gets
  /// Bytes that a device must receive, because its result depends on what it does not have. A bound if
  /// devices differ.
  Count received = {};
  /// Of these, what devices do not hold already, because others hold equal arrays by the shardings of the
  /// program's parameters. A bound if devices differ.
  Count needed = {};
  bool stated = false;  ///< whether shardings state which devices hold equal arrays (held_arrays.h)
  /// Bytes that each device sends to its neighbor in the algorithm that passes parts around a ring.
  Count ring = {};
  /// Bytes that each device sends if the devices form a tree, in which sums go up or results go down: of an
  /// all-reduce and a broadcast. Empty for others.
  std::optional<Count> tree = {};
  /// Bytes that each device sends if every device sends each of the others directly what it needs.
  Count direct = {};
  /// Of a pair of start and done: the steps between them, in the order of a scheduled program; -1: none, or
  /// the program is not scheduled.
  Index overlapped = -1;
  std::vector<const Instruction*> between = {};  ///< these steps
  std::string reason = {};                       ///< why a number is a bound
};

/// The exchanges of a program, and their sums over all runs.
struct DeviceExchanges {
  std::vector<DeviceExchange> exchanges;  ///< most bytes first
  bool scheduled = false;
  Count received = {0, 0};
  Count needed = {0, 0};
  Count ring = {0, 0};
  Count direct = {0, 0};
};

/// Counts the collectives of a program that starts at `start`, or at the entry if that is null.
/// O(instructions).
DeviceExchanges device_exchanges(const HloModule& module, const Computation* start = nullptr);

}  // namespace tessera::detail
