// SPDX-License-Identifier: Apache-2.0
/// \file
/// Layouts of memory, and those without a map, from their fields, with the rules of each kind.
#pragma once

#include <vector>

#include "notation/triton/attribute_fields.h"

namespace tessera::triton {

/// Errors: bad_attribute, bad_permutation, rank_mismatch, dim_out_of_range, shape_mismatch, duplicate_name,
/// limit.
Result<TritonAttribute> make_memory(const RawAttribute& raw, std::vector<GivenField> fields);

}  // namespace tessera::triton
