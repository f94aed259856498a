// SPDX-License-Identifier: Apache-2.0
/// \file
/// Whether the groups and pairs of a collective name replicas that there are, each in its place.
#pragma once

#include <optional>
#include <string>

#include "hlo/verify/rule.h"

namespace tessera::detail {

// What the header leaves open is not judged, nor is a number of 1: a header that says nothing is written so
// too.

/// No group is empty, and every number in `replica_groups` is one of a replica, partition or device that the
/// header tells of. `equal_sizes`: all groups have one size. Problems: bad_attribute, index_out_of_range.
Problem check_groups(const Rule& rule, const ReplicaGroups& groups, bool equal_sizes);

/// How many take part in each group, where that is known.
std::optional<Index> members_of_group(const Rule& rule, const ReplicaGroups& groups);

/// "4 replicas", or partitions or devices: what the members of the groups are.
std::string members_text(const Rule& rule, Index count);

/// The same of `source_target_pairs`; and each is a source once and a target once, unless slices are
/// sent.
Problem check_pairs(const Rule& rule);

}  // namespace tessera::detail
