// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads a plan back from the JSON of `reshard plan --json`.
#pragma once

#include <string_view>

#include "report/reshard_answer.h"
#include "tessera/base/result.h"

namespace tessera {

/// The plan and the element type of `tessera.reshard/1`. Makes the plan again from its distributions and
/// compares every number, pair and message in the text with it. Errors: syntax (not JSON), bad_file (not a
/// plan), those of the distributions, verify_failed (the text disagrees with the distributions; the message
/// names the key).
Result<ReshardAnswer> read_reshard_plan(std::string_view json);

}  // namespace tessera
