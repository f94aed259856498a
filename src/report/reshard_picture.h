// SPDX-License-Identifier: Apache-2.0
/// \file
/// Pictures of distributions and of the data that moves between them.
#pragma once

#include "tessera/base/result.h"
#include "tessera/draw/picture.h"
#include "tessera/reshard/reshard_plan.h"

namespace tessera {

/// The holders of each element before and after, one panel each, with a color for each place. The last two
/// dimensions are drawn at index 0 of the others. If a dimension has more than 32 indices, indices with the
/// same holders form one row or column. Errors: limit (more than 64 rows or columns), rank_mismatch (no
/// dimension).
Result<Picture> shards_picture(const ReshardPlan& plan);

/// The bytes that each place sends to each other place, and the bytes that each sends, receives and keeps.
/// Errors: limit (more than 64 places).
Result<Picture> traffic_picture(const ReshardPlan& plan);

}  // namespace tessera
