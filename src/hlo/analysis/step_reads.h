// SPDX-License-Identifier: Apache-2.0
/// \file
/// What one step reads of the arrays among its operands.
#pragma once

#include <span>

#include "hlo/analysis/array_origin.h"
#include "hlo/analysis/in_place.h"
#include "tessera/hlo/analyze.h"
#include "tessera/hlo/traffic.h"
#include "tessera/hlo/walk.h"

namespace tessera::detail {

/// Fills `read`, `inlined`, `repeated`, `used`, `operand_bytes`, `operands`, `exactness` and `reason` of a
/// step. Operands that are one array count together. An updated operand is read only outside the update; if
/// the update is in place, it is not read at all.
void count_step_reads(StepTraffic& step, const InstructionIndexing& maps,
                      std::span<const ArrayUpdate> updates, ArrayOrigins& origins, ProgramIndexing& program,
                      const JudgeLimits& limits);

/// Bytes of this many elements.
Count bytes_of(Count elements, Index bits);

}  // namespace tessera::detail
