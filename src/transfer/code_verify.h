// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compares the codes of two buffers, element by element.
#pragma once

#include <functional>
#include <span>

#include "transfer/code_mover.h"

namespace tessera::transfer {

/// Compares every element. Evaluates the maps of both layouts, without the programs that move. `release`
/// drops the pages of both buffers. Errors: verify_failed, with the smallest index of those at which codes
/// were found to differ; those of planes.
Result<VerifyReport> verify_codes(const CodeMover& mover, std::span<const std::byte> src,
                                  std::span<const std::byte> dst, const VerifyOptions& options,
                                  const std::function<void()>& release,
                                  const std::function<void(Progress)>& progress);

}  // namespace tessera::transfer
