// SPDX-License-Identifier: Apache-2.0
/// \file
/// Checks the replica numbers in the groups and pairs of a collective.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hlo/check/op_reader.h"

namespace tessera::detail {

// Counts that the header omits are not checked, nor is a count of 1: XLA also prints 1 for an unknown count.

/// Checks that no group is empty and that every number in `replica_groups` is in the range that the header
/// gives. `equal_sizes`: all groups must have one size. Problems: bad_attribute, index_out_of_range.
Problem check_groups(const OpReader& reader, const ReplicaGroups& groups, bool equal_sizes);

/// The number of members of each group, if known.
std::optional<Index> members_of_group(const OpReader& reader, const ReplicaGroups& groups);

/// "4 replicas", or partitions or devices, depending on what the members are.
std::string members_text(const OpReader& reader, Index count);

/// Reads `source_target_pairs`, and checks that every number is in range and, unless slices are sent, is a
/// source at most once and a target at most once.
Problem read_pairs(const OpReader& reader, std::vector<SourceTarget>& pairs);

}  // namespace tessera::detail
