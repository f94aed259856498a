// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compares the codes of two buffers, element by element.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "tessera/transfer/copy.h"
#include "transfer/code_side.h"
#include "transfer/recode.h"

namespace tessera::transfer {

/// Compares every element, and the rest of its cell on both sides, after `recode` if there is one. Evaluates
/// the maps of both layouts, without the programs that move. `release` drops the pages of both buffers.
/// Errors: verify_failed, with the smallest index of those at which codes were found to differ; those of
/// planes.
Result<VerifyReport> verify_codes(const CodeSide& from, const CodeSide& to,
                                  const std::optional<Recode>& recode, std::span<const std::byte> src,
                                  std::span<const std::byte> dst, const VerifyOptions& options,
                                  const std::function<void()>& release,
                                  const std::function<void(Progress)>& progress);

}  // namespace tessera::transfer
