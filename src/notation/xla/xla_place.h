// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds the place in a type's text for an error about the whole type.
#pragma once

#include <string_view>

#include "tessera/base/result.h"
#include "tessera/notation/tensor_type.h"

namespace tessera::detail {

/// The entry of the order, the tile, the part of the layout or the extents that cause the error `code`, in
/// the text from which `type` was read; the whole text if they are not found.
Span place_in_type(std::string_view text, const TensorType& type, Code code);
/// As above, for the first array in a tuple or buffer that `validate` rejects.
Span place_in_type(std::string_view text, const HloType& type, Code code);

}  // namespace tessera::detail
