// SPDX-License-Identifier: Apache-2.0
/// \file
/// The place in a type's text of an error about the whole type.
#pragma once

#include <string_view>

#include "tessera/base/result.h"
#include "tessera/notation/hlo_type.h"

namespace tessera::detail {

/// The entry of the order, the tile, the part of the layout or the extents that `code` is about, in the text
/// that `type` was read from; the whole text if not found.
Span place_in_type(std::string_view text, const TensorType& type, Code code);
/// The same in the first array of a tuple or buffer that `validate` refuses.
Span place_in_type(std::string_view text, const HloType& type, Code code);

}  // namespace tessera::detail
