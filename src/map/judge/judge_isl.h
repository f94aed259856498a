// SPDX-License-Identifier: Apache-2.0
/// \file
/// Questions that isl answers. Every answer is `undecided` unless isl is built in.
#pragma once

#include "tessera/map/judge.h"

namespace tessera::detail {

/// The variables and quotients of a map: the columns of isl's tables.
std::uint64_t isl_columns(const IndexMap& map);

Equality isl_equal(const IndexMap& a, const IndexMap& b, unsigned long max_operations);
Emptiness isl_is_empty(const IndexMap& map, unsigned long max_operations);
Inclusion isl_footprint_within(const IndexMap& a, const IndexMap& b, unsigned long max_operations);

}  // namespace tessera::detail
