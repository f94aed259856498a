// SPDX-License-Identifier: Apache-2.0
/// \file
/// The order of the elements of new tensors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transfer/file_plan.h"

namespace tessera::transfer {

/// Orders the elements of new tensors as `text` says: `C`, `F`, the end of a layout in XLA's notation,
/// `{0,1:T(8,128)}`, for tensors with as many dimensions, or a layout of any notation, for tensors of its
/// shape. Words of several cells, and tensors whose layout a recipe names, keep theirs; so do tensors of
/// another type or width; `notes` then say why, with the first name and the count. Elements keep their width:
/// the end of a layout gets their E(n). Errors, at fault `layout`: bad_option if no tensor takes the order;
/// those of parse_layout and set_layout; broadcast.
Result<void> order_targets(std::vector<TargetTensor>& tensors, std::string_view text,
                           std::vector<std::string>& notes);

/// Gives a name to packed elements that have no type of their own in files, or that end inside a byte.
Result<void> name_packings(std::vector<TargetTensor>& tensors);

}  // namespace tessera::transfer
