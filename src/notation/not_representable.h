// SPDX-License-Identifier: Apache-2.0
/// \file
/// Helpers for conversions: the error not_representable.
#pragma once

#include <span>
#include <string>

#include "tessera/base/index.h"
#include "tessera/base/result.h"

namespace tessera::detail {

/// An index as text: `(1, 2)`.
std::string point_text(std::span<const Index> index);

/// The error not_representable: the message ends with the reason in parentheses. `witness` is an index or an
/// offset that proves it, if there is one.
Failure not_representable(std::string reason, std::string message, std::string witness = {});

/// `entangled`: the offset at `index` is `value`, but the dimensions contribute `sum`.
Failure entangled(std::span<const std::size_t> dims, std::span<const Index> index, Index value, Index sum);

}  // namespace tessera::detail
