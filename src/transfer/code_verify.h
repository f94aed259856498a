// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compares the codes of two buffers, element by element.
#pragma once

#include <functional>
#include <span>

#include "transfer/code_mover.h"

namespace tessera::transfer {

/// Evaluates both layouts at each index, without the programs that move. Compares every element of up to
/// kVerifyAll, otherwise a million that are chosen at random. Errors: verify_failed, with the smallest index
/// of those that were compared.
Result<VerifyReport> verify_codes(const CodeMover& mover, std::span<const std::byte> src,
                                  std::span<const std::byte> dst,
                                  const std::function<void(Progress)>& progress);

}  // namespace tessera::transfer
