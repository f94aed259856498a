// SPDX-License-Identifier: Apache-2.0
/// \file
/// FormatTag: oneDNN's tag without a shape.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/notation/blocked_layout.h"

namespace tessera::detail {

struct FormatTag {
  std::vector<Index> order;
  std::vector<BlockedLayout::Block> blocks;
};

/// Reads a tag for `rank` dimensions. Without a rank, the tag's letters determine it, and `x` is an error.
/// Errors, with spans in `tag`: syntax, number_range, bad_extent, rank_mismatch.
Result<FormatTag> parse_format_tag(std::string_view tag, std::optional<std::size_t> rank);

/// The canonical tag: letters `a`, `b`, ..., in upper case if the dimension has blocks.
std::string to_string(const FormatTag& tag);

}  // namespace tessera::detail
