// SPDX-License-Identifier: Apache-2.0
/// \file
/// Pictures of distributions and of what moves between them.
#pragma once

#include "tessera/base/result.h"
#include "tessera/draw/picture.h"
#include "tessera/reshard/reshard_plan.h"

namespace tessera {

/// Who holds what before and after, one panel each: a color for each place. The last two dimensions are drawn
/// at index 0 of the others; where a dimension has more than 32 indices, those with the same holders are one
/// row or column. Errors: limit (more than 64 rows or columns), rank_mismatch (no dimension).
Result<Picture> shards_picture(const ReshardPlan& plan);

/// Bytes that each place sends each other, and what each sends, receives and keeps. Errors: limit (more than
/// 64 places).
Result<Picture> traffic_picture(const ReshardPlan& plan);

}  // namespace tessera
