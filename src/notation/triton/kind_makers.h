// SPDX-License-Identifier: Apache-2.0
/// \file
/// Attributes from their fields, with the rules of each kind.
#pragma once

#include <vector>

#include "notation/triton/attribute_fields.h"

namespace tessera::triton {

/// Kinds of register layouts. Errors: bad_attribute, bad_permutation, rank_mismatch, dim_out_of_range,
/// shape_mismatch.
Result<TritonAttribute> make_registers(const RawAttribute& raw, std::vector<GivenField> fields);
/// Kinds of layouts of memory, and those without a map.
Result<TritonAttribute> make_memory(const RawAttribute& raw, std::vector<GivenField> fields);

}  // namespace tessera::triton
