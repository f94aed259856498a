// SPDX-License-Identifier: Apache-2.0
/// \file
/// Numbers, operations and times of a report as JSON.
#pragma once

#include "hlo/operations/work.h"
#include "hlo/time/roofline.h"
#include "report/json.h"
#include "tile/on_chip.h"

namespace tessera::detail {

/// An exact number is a number. A bound is `[lower, upper]`, where the upper bound may be null.
Json number_json(const Count& count);

/// Seconds with four digits.
double rounded_seconds(double seconds);

/// `flops`, `integer_operations` and `transcendentals`.
Json work_json(const Work& work);

/// Of all runs of a step: `seconds` and `waits_for`.
Json time_json(const StepTime& step);

/// One run of a step in tiles: `bytes`, and what is known of `tile`, `tile_bytes`, `result`, `whole`,
/// `product` and `reason`.
Json tiled_json(const TiledStep& step);

/// The totals of a program on a chip.
Json time_json(const ProgramTime& time, const Chip& chip);

}  // namespace tessera::detail
