// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compares the codes of two buffers, element by element.
#pragma once

#include <functional>
#include <span>

#include "transfer/code_mover.h"

namespace tessera::transfer {

struct CodeVerifyOptions {
  VerifyOptions read = {};
  Index all_below = kVerifyAll;       ///< up to this many elements, compare every one
  Index random_elements = 1'000'000;  ///< of more, compare this many
};

/// Evaluates both layouts at each index, without the programs that move. Of more than `all_below` elements
/// only some that are chosen at random; then also compares, for all elements, the sums of hashes of their
/// codes, which the programs write to row-major memory: evaluating a layout takes too long then. Errors:
/// verify_failed, with the smallest index of those that were compared before the end; limit without memory.
/// `release` drops the pages of both buffers.
Result<VerifyReport> verify_codes(const CodeMover& mover, std::span<const std::byte> src,
                                  std::span<const std::byte> dst, const CodeVerifyOptions& options,
                                  const std::function<void()>& release,
                                  const std::function<void(Progress)>& progress);

}  // namespace tessera::transfer
