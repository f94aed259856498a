// SPDX-License-Identifier: Apache-2.0
/// \file
/// Makes an attribute from its text: keys, values, and the rules of its kind.
#pragma once

#include "notation/triton/basis_lists.h"
#include "notation/triton/raw_text.h"
#include "tessera/notation/triton_layout.h"

namespace tessera::triton {

/// Errors, each with its span: unknown_attribute, missing_attribute, duplicate_name, argument_count, then
/// bad_attribute, bad_permutation, rank_mismatch, dim_out_of_range, shape_mismatch, limit.
Result<TritonAttribute> make_attribute(const RawAttribute& raw);

/// The same for a layout inside one whose keys, and those of all layouts in it, have been checked.
Result<TritonAttribute> make_checked(const RawAttribute& raw);

}  // namespace tessera::triton
