// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where in a type's text stands what a rule about the whole type has refused.
#pragma once

#include <string_view>

#include "tessera/base/result.h"
#include "tessera/notation/hlo_type.h"

namespace tessera::detail {

/// The entry of the order, the tile, the part of the layout or the extents that `code` is about, in the text
/// `type` was read from; the whole text where that is not to be found.
Span place_in_type(std::string_view text, const TensorType& type, Code code);
/// The same in the first array of a tuple or buffer that `validate` refuses.
Span place_in_type(std::string_view text, const HloType& type, Code code);

}  // namespace tessera::detail
