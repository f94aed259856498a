// SPDX-License-Identifier: Apache-2.0
/// \file
/// Register layouts from their fields, with the rules of each kind.
#pragma once

#include <vector>

#include "notation/triton/attribute_fields.h"

namespace tessera::triton {

/// Errors: bad_attribute, bad_permutation, rank_mismatch, dim_out_of_range, shape_mismatch.
Result<TritonAttribute> make_registers(const RawAttribute& raw, std::vector<GivenField> fields);

}  // namespace tessera::triton
