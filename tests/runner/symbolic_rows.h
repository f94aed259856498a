// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the checks of rows about all sizes share.
#pragma once

#include <string>

#include "runner/check.h"
#include "tessera/base/result.h"
#include "tessera/size/size.h"

namespace tessera::vectors {

VectorResult unexpected_error(const std::string& expected, const Diagnostic& error);
SizeMap size_map_of(const Json& object);
/// Whether a condition, a list joined by `or`, is true for sizes.
Result<bool> truth_at(std::string condition, const SizeMap& sizes);
/// An answer about all sizes against that of a row.
VectorResult judge_size_answer(const Json& row, const SizeAnswer& got);
/// The cases of an expression, judged at each point.
VectorResult judge_cases(const Json& row);
/// An access whose wavefronts are one number, `right`, for all sizes.
VectorResult judge_one_count(const Json& row);
/// Rows of equalities of maps, and of `bugs.jsonl`.
VectorResult judge_map_equality(const Json& row);

}  // namespace tessera::vectors
