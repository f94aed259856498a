// SPDX-License-Identifier: Apache-2.0
/// \file
/// The maps of a set as JSON values.
#pragma once

#include "report/json.h"
#include "tessera/hlo/indexing.h"

namespace tessera::detail {

/// An array with one object for each map, sorted by text, so that it does not depend on the order in which
/// the maps were found. The keys are those of indexing_json.h.
Json json_of(const IndexingSet& maps);

}  // namespace tessera::detail
