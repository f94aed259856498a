// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tessera/transfer/copy.h"

namespace tessera::detail {

/// Elements of whole bytes or of 1, 2 or 4 bits; or codes of any width.
enum class ElementWidths : std::uint8_t { cells, codes };

/// source_tensor, whose errors call the layout by the argument that gave it: `from` or `shape`. They name the
/// argument that they are about: that, `type`, `bytes` or `in`.
Result<Tensor> source_tensor(const TensorFile& file, const std::optional<Layout>& from,
                             const ElementHint& hint, std::string_view from_argument,
                             ElementWidths widths = ElementWidths::cells);

}  // namespace tessera::detail
