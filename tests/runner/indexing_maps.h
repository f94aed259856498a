// SPDX-License-Identifier: Apache-2.0
/// \file
/// Checks that several files of `indexing` share.
#pragma once

#include "runner/check.h"

namespace tessera::vectors {

/// Fields `input`, `mode`, `expected`.
Outcome judge_simplify(const Json& row);
/// Fields `input`, `expected`.
Outcome judge_rescale_and_simplify(const Json& row);
/// Fields `first`, `second`, `simplify`, `expected`.
Outcome judge_compose(const Json& row);

}  // namespace tessera::vectors
