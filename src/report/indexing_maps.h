// SPDX-License-Identifier: Apache-2.0
/// \file
/// Maps, and the maps of a set, as JSON values.
#pragma once

#include <cstdint>

#include "report/json.h"
#include "tessera/hlo/indexing.h"

namespace tessera::detail {

/// The place of an element in nested tuples: [1, 0] for name#1#0.
Json tuple_path(std::int32_t index, const TupleStep* inner);

/// The instruction that holds the value, with the calls on the path to it; if no instruction holds the value,
/// a description of it. `source`, `map`, and where they apply `tuple_path`, `calls`, `clamp`.
Json json_of(const RuntimeValue& value);

/// The object of `to_json` in indexing_json.h.
Json json_of(const Indexing& indexing);

/// An array with one object for each map, sorted by text, so that it does not depend on the order in which
/// the maps were found. The keys are those of one map.
Json json_of(const IndexingSet& maps);

}  // namespace tessera::detail
