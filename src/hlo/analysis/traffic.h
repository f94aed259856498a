// SPDX-License-Identifier: Apache-2.0
/// \file
/// The traffic of a program whose maps are known.
#pragma once

#include <functional>

#include "tessera/hlo/analyze.h"
#include "tessera/hlo/traffic.h"

namespace tessera::detail {

/// The maps of an instruction from its outputs to its operands.
using MapsOf = std::function<const InstructionIndexing&(const Instruction&)>;

/// program_traffic with given maps instead of computed ones. `maps_of` is called once for each step.
ProgramTraffic program_traffic(const HloModule& module, const TrafficOptions& options, const MapsOf& maps_of);

/// What `bytes` of a step count in the totals of a program: a bound from 0 on if the step may vanish.
Count count_in_total(Count bytes, const StepTraffic& step);

}  // namespace tessera::detail
