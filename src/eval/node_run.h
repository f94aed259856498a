// SPDX-License-Identifier: Apache-2.0
// Evaluates a parsed expression whose names are sizes, in one run of an exploration.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "eval/node_names.h"
#include "size/explore.h"
#include "traced/operations.h"
#include "traced/recording.h"

namespace tessera::eval {

/// The value of an expression in a run; other names than variables are parameters of the space.
symbolic::Leaf evaluated(const Node& node, const NamedNodes& variables, symbolic::Recorder& run);

/// Functions that have answers for all sizes.
bool is_for_all_sizes(std::string_view function);

}  // namespace tessera::eval
