// SPDX-License-Identifier: Apache-2.0
/// \file
/// The normal form of an indexing, in place.
#pragma once

#include "tessera/hlo/indexing.h"

namespace tessera::detail {

/// As `normalize`.
void normalize_in_place(Indexing& indexing);

/// Removes range and runtime variables that no result needs, with their runtime values.
void remove_unused_values(Indexing& indexing);

}  // namespace tessera::detail
