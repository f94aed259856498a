// SPDX-License-Identifier: Apache-2.0
/// \file
/// Counts of the reads of several maps together.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tessera/hlo/indexing.h"
#include "tessera/map/map_algebra.h"

namespace tessera::detail {

/// Limits for the analysis of whole programs: a count takes at most a few milliseconds.
JudgeLimits quick_limits();

/// A map whose reads are counted.
struct CountedMap {
  IndexMap map;
  /// For each runtime variable: whether it may have different values for different indices.
  std::vector<bool> varies = {};
  /// The values that each runtime variable may have. A value outside the variable's interval in the map reads
  /// nothing.
  std::vector<Interval> clamps = {};
  /// The variables of the map that determine the runtime variables that vary.
  std::vector<std::size_t> sources = {};
  Exactness exactness = Exactness::exact;
  std::string reason = {};
  /// An element that does not depend on the index is read once, into a register.
  bool hoisted = false;
};

/// The map of an indexing, without its hops between replicas.
CountedMap counted_map(const Indexing& indexing);

/// The counts of ArrayReads.
struct ReadCounts {
  Count used = {};
  Count reads = {};
  Count reachable = {};
  /// Whether it is proved that every element that is used is read equally often.
  bool even = false;
  Exactness exactness = Exactness::exact;
  std::string reason = {};
};

/// Counts what the maps read together from an array of at most `elements` elements.
ReadCounts count_all(std::span<const CountedMap> maps, Index elements, const JudgeLimits& limits);

}  // namespace tessera::detail
