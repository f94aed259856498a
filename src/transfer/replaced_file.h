// SPDX-License-Identifier: Apache-2.0
/// \file
/// The file that a copy replaces.
#pragma once

#include <optional>

#include "tessera/transfer/copy.h"

namespace tessera::transfer {

/// The file whose padding is kept: a raw file of the same size.
std::optional<TensorFile> old_contents(const TensorPath& path, const CopyOptions& options, Index bytes);

/// The new file will hold one tensor, so replacing a file with several would lose the others. Errors:
/// file_exists.
Result<void> check_replaced(const TensorPath& path, const CopyOptions& options);

}  // namespace tessera::transfer
