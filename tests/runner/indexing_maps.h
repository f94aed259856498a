// SPDX-License-Identifier: Apache-2.0
/// \file
/// Checks that several files of `indexing` share.
#pragma once

#include "runner/check.h"

namespace tessera::vectors {

/// Uses the fields `input`, `mode`, `expected`.
VectorResult judge_simplify(const Json& row);
/// Uses the fields `input`, `expected`.
VectorResult judge_rescale_and_simplify(const Json& row);
/// Uses the fields `first`, `second`, `simplify`, `expected`.
VectorResult judge_compose(const Json& row);

}  // namespace tessera::vectors
