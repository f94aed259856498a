// SPDX-License-Identifier: Apache-2.0
/// \file
/// Indices as containers count.
#pragma once

#include <cstddef>

#include "tessera/base/index.h"

namespace tessera::detail {

/// A position, a dimension or an extent that is known not to be negative.
constexpr std::size_t as_size(Index i) { return static_cast<std::size_t>(i); }

}  // namespace tessera::detail
