// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the numbers in the groups of a collective identify.
#pragma once

#include "tessera/base/result.h"
#include "tessera/hlo/module.h"

namespace tessera::detail {

/// What the numbers in the groups identify. It follows from `channel_id`, `use_global_device_ids` and the
/// opcode. Errors: bad_attribute.
Result<CollectiveGroups::Members> group_members(const Instruction& collective);

}  // namespace tessera::detail
