// SPDX-License-Identifier: Apache-2.0
/// \file
/// Copies codes from file to file, if a layout has a name or codes change.
#pragma once

#include "transfer/code_mover.h"

namespace tessera {

/// Copies a tensor's codes to a new file, which appears whole or not at all; see copy_tensor. Padding is set
/// as the options say; `any` leaves zeros. Errors: those of CodeMover::move and of FileWriter; verify_failed;
/// bad_option (`verify` of a device; a fill for a layout of kind bits); file_exists; not_representable; limit
/// for a destination that cannot be cut into parts and is larger than half the memory.
Result<CopyReport> copy_codes(const TensorFile& file, const CodeMover& mover, const TensorPath& path,
                              const CopyOptions& options = {}, const CopyProgress& progress = {});

}  // namespace tessera
