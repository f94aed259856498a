// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "reshard/message_table.h"
#include "tessera/reshard/reshard_plan.h"

namespace tessera::detail {

/// Appends one box for each choice of an entry from every list. Returns false, and appends none, if there
/// would be more than kMostBoxes boxes.
bool add_boxes(std::span<const std::span<const RunMeet>> dims, std::vector<MessageBox>& out);

}  // namespace tessera::detail
