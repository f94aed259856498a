// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "tessera/transfer/copy.h"

namespace tessera::detail {

/// source_tensor, whose messages call the layout by the option that gave it: `--from` or `--shape`.
Result<Tensor> source_tensor(const TensorFile& file, const std::optional<Layout>& from,
                             const ElementHint& hint, std::string_view from_option);

}  // namespace tessera::detail
