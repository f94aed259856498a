// SPDX-License-Identifier: Apache-2.0
/// \file
/// The order of the elements of new tensors.
#pragma once

#include <string_view>
#include <vector>

#include "transfer/file_plan.h"

namespace tessera::transfer {

/// Orders the elements of new tensors as `text` says: `C`, `F`, or the end of a layout in XLA's notation,
/// `{0,1:T(8,128)}`, for tensors with as many dimensions. Words of several cells, and tensors whose layout a
/// recipe names, keep theirs. Errors, at fault `layout`: bad_option, those of parse_layout,
/// unsupported_width.
Result<void> order_targets(std::vector<TargetTensor>& tensors, std::string_view text);

/// Gives a name to packed elements that have no type of their own in files, or that end inside a byte.
Result<void> name_packings(std::vector<TargetTensor>& tensors);

}  // namespace tessera::transfer
