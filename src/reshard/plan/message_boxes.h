// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "reshard/parts/message_table.h"
#include "tessera/relayout/plan.h"
#include "tessera/reshard/reshard_plan.h"

namespace tessera {

/// The move of a message box between local arrays with these strides, in elements.
StridedMove strided(const MessageBox& box, std::span<const Index> from_strides,
                    std::span<const Index> to_strides);

namespace detail {

/// Appends one box for each choice of an entry from every list. Returns false, and appends none, if there
/// would be more than kMaxBoxes boxes.
bool add_boxes(std::span<const std::span<const RunMeet>> dims, std::vector<MessageBox>& out);

}  // namespace detail
}  // namespace tessera
