// SPDX-License-Identifier: Apache-2.0
/// \file
/// Text of linear layouts over F2.
#pragma once

#include <string>
#include <string_view>

#include "tessera/base/result.h"
#include "tessera/notation/linear_layout.h"

namespace tessera {

/// `d0:1,16 d1:2,4,8`: dimensions in order, each with the offsets of its bits 0, 1, ...; `d1:` has extent 1.
/// The prefix `ll:` is optional. Errors, each with its span: syntax, number_range, those of
/// LinearLayout::make.
Result<LinearLayout> parse_linear_layout(std::string_view text);

/// `d0:1,16 d1:2,4,8`. parse_linear_layout(to_string(x)) == x for every layout with a dimension.
std::string to_string(const LinearLayout& layout);

}  // namespace tessera
