// SPDX-License-Identifier: Apache-2.0
/// \file
/// Converts the digit normal form to a format tag.
#pragma once

#include <optional>
#include <span>

#include "tessera/notation/blocked_layout.h"
#include "tessera/notation/digits.h"

namespace tessera::detail {

/// `abcd`: row-major without blocks. Errors: rank_mismatch (more than kMaxTagDims dimensions).
Result<BlockedLayout> plain_tag(std::span<const Index> shape);

/// The tag with this map and the fewest blocks. If the stride of a digit leaves memory unused, a dimension
/// whose digits are all faster is padded. If there is no such tag, the tag with outer strides and the fewest
/// blocks. Reasons of not_representable, the first that applies: offset, negative_stride, broadcast (but the
/// top digit of a dimension may have stride 0), order (a higher digit of a dimension has a smaller stride),
/// then nesting (a stride is not a multiple of the memory of the faster digits, or inside it) or padding
/// (memory is unused where no dimension can be padded). Other errors: rank_mismatch, undecided.
/// O(digits log digits). Requires a nonempty box.
Result<BlockedLayout> to_blocked_layout(const Digits& digits);

/// The tag with the same map and a buffer of `elements`, which is larger: its slowest dimension gets one more
/// block that pads it to that size, the least one unless it and the number of such blocks exceed 2^16. Empty
/// if the buffer is not a whole number of what is below the slowest dimension, and for a tag with strides.
/// The blocks of dimensions that are faster than the new block but counted outside all blocks become blocks
/// as well. O(dimensions * blocks).
std::optional<BlockedLayout> with_buffer(const BlockedLayout& tag, Index elements);

}  // namespace tessera::detail
