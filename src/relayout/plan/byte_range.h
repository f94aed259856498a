// SPDX-License-Identifier: Apache-2.0
/// \file
/// The bytes that the elements of a layout occupy.
#pragma once

#include <optional>
#include <string_view>

#include "relayout/state.h"
#include "tessera/base/result.h"
#include "tessera/notation/digits.h"

namespace tessera::moving {

/// The error `overflow`: the byte offsets of `side`, which is "source", "destination" or "box", do not fit in
/// 64 bits.
Failure byte_overflow(std::string_view side);

/// The smallest byte range that contains all elements of the layout. For tiled layouts, the range of their
/// whole buffer. Errors: those of offset_range, and byte_overflow(side).
Result<ByteRange> byte_range(const Layout& layout, Index element_bytes, std::string_view side);

/// The smallest byte range that contains all elements; empty if it does not fit in 64 bits.
std::optional<ByteRange> byte_range(const Digits& digits, Index element_bytes);

/// A range that contains that of byte_range, found without enumeration. Empty if the layout has neither
/// digits nor swizzles.
std::optional<ByteRange> byte_range_bound(const Layout& layout, Index element_bytes);

}  // namespace tessera::moving
