// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "tessera/transfer/copy.h"

namespace tessera::detail {

/// source_tensor, whose errors call the layout by the argument that gave it: `from` or `shape`. They name the
/// argument that they are about: that, `type`, `bytes` or `in`.
Result<Tensor> source_tensor(const TensorFile& file, const std::optional<Layout>& from,
                             const ElementHint& hint, std::string_view from_argument);

}  // namespace tessera::detail
