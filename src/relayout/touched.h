// SPDX-License-Identifier: Apache-2.0
/// \file
/// The bytes that the elements of a layout occupy.
#pragma once

#include <optional>
#include <string_view>

#include "relayout/state.h"
#include "tessera/base/result.h"

namespace tessera::moving {

/// Error `overflow`: bytes of that side, "source" or "destination", leave 64 bits.
Failure beyond(std::string_view side);

/// The smallest range of bytes that holds everything a layout touches; for tiles, the memory they own.
/// Errors: those of offset_range, and beyond(side).
Result<ByteRange> touched(const Layout& layout, Index element_bytes, std::string_view side);

/// A range that contains it and is known at once: for swizzles, the blocks that they permute.
std::optional<ByteRange> touched_at_most(const Layout& layout, Index element_bytes);

}  // namespace tessera::moving
