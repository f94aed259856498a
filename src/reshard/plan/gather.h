// SPDX-License-Identifier: Apache-2.0
/// \file
/// All elements that the places of a target read, including those they already have: for targets in new
/// files.
#pragma once

#include <functional>

#include "tessera/reshard/reshard_plan.h"

namespace tessera {

/// Elements that place `to` reads from place `from`.
struct PlaceBox {
  Index from = 0;
  Index to = 0;
  MessageBox box;
};

/// Calls visit for boxes that cover the shard of every place of the target, each element once. If the
/// receiver holds an element itself, it reads its own copy; otherwise that of the first holder. Source and
/// target number their places independently. Errors: different_shape, limit (more than kMaxBoxes boxes
/// between two places).
Result<void> for_each_place_box(const ReshardArray& array, const std::function<void(PlaceBox)>& visit);

}  // namespace tessera
