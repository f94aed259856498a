// SPDX-License-Identifier: Apache-2.0
/// \file
/// `hlo` with `by`, `work`, `chip`, `memory` or `collectives`: what a program costs.
#pragma once

#include <functional>
#include <string>

#include "report/traffic_answer.h"
#include "verbs/hlo.h"
#include "verbs/hlo_parts.h"

namespace tessera::verbs {

/// A text and its JSON.
struct CostPart {
  std::function<std::string()> text;
  std::function<std::string()> json;
};

/// The costs of a module that starts at `start`, or at the entry if that is null. `shown` selects the steps
/// of the lists by step.
CostPart cost_part(const HloRequest& request, const PartPlace& where, const HloModule& module,
                   const Computation* start, const ShowStep& shown);

}  // namespace tessera::verbs
