// SPDX-License-Identifier: Apache-2.0
/// \file
/// Checks the replica numbers in the groups and pairs of a collective.
#pragma once

#include <optional>
#include <string>

#include "hlo/verify/rule.h"

namespace tessera::detail {

// Counts that the header omits are not checked, nor is a count of 1: XLA also prints 1 for an unknown count.

/// Checks that no group is empty and that every number in `replica_groups` is in the range that the header
/// gives. `equal_sizes`: all groups must have one size. Problems: bad_attribute, index_out_of_range.
Problem check_groups(const Rule& rule, const ReplicaGroups& groups, bool equal_sizes);

/// The number of members of each group, if known.
std::optional<Index> members_of_group(const Rule& rule, const ReplicaGroups& groups);

/// "4 replicas", or partitions or devices, depending on what the members are.
std::string members_text(const Rule& rule, Index count);

/// Checks that every number in `source_target_pairs` is in range and, unless slices are sent, is a source at
/// most once and a target at most once.
Problem check_pairs(const Rule& rule);

}  // namespace tessera::detail
