// SPDX-License-Identifier: Apache-2.0
/// \file
/// Checks that several files of `indexing` share.
#pragma once

#include "runner/check.h"

namespace tessera::vectors {

/// Fields `input`, `mode`, `expected`.
VectorResult judge_simplify(const Json& row);
/// Fields `input`, `expected`.
VectorResult judge_rescale_and_simplify(const Json& row);
/// Fields `first`, `second`, `simplify`, `expected`.
VectorResult judge_compose(const Json& row);

}  // namespace tessera::vectors
