// SPDX-License-Identifier: Apache-2.0
/// \file
/// From the parts of a type to a layout with a shape.
#pragma once

#include "notation/triton/raw_text.h"
#include "tessera/notation/triton_layout.h"

namespace tessera::triton {

/// The layout of a type. Errors: bad_attribute (a tensor in memory), bad_extent, rank_mismatch, and those of
/// triton_bases.
Result<TritonLayout> typed_layout(const RawText& raw, TritonAttribute attribute);

/// The error not_representable (not_power_of_two).
Failure not_a_power(Index extent, Span span = {});

}  // namespace tessera::triton
