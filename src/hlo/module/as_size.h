// SPDX-License-Identifier: Apache-2.0
/// \file
/// Conversion of Index to std::size_t.
#pragma once

#include <cstddef>

#include "tessera/base/index.h"

namespace tessera::detail {

/// Requires a nonnegative value.
constexpr std::size_t as_size(Index i) { return static_cast<std::size_t>(i); }

}  // namespace tessera::detail
