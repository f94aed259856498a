// SPDX-License-Identifier: Apache-2.0
/// \file
/// Text of Morello's packed layouts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/result.h"
#include "tessera/notation/packed_layout.h"

namespace tessera {

/// `[1, 0, 1 p(4)]`, `([0, 0 oe(8)], c1)`, `NHWC`. Errors: syntax, number_range, dim_out_of_range (a
/// dimension above 255), and those of PackedLayout::make; with its span.
Result<PackedLayout> parse_packed_layout(std::string_view text);

/// The same with a shape before it. Errors also: those of expand.
Result<ShapedPackedLayout> parse_shaped_packed_layout(std::string_view text);

/// Canonical text: parse_packed_layout(to_string(x)) == x.
std::string to_string(const PackedLayout& layout);
std::string to_string(const ShapedPackedLayout& layout);

}  // namespace tessera
