// SPDX-License-Identifier: Apache-2.0
/// \file
/// Chains of iterators: joined, and split at the borders of dimensions.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tessera/notation/axe.h"

namespace tessera::detail {

/// Iterators without extent 1, with neighbors on one axis joined that count on.
std::vector<AxeIterator> joined(std::span<const AxeIterator> iterators);

/// The iterators of each dimension, the slowest first, without extent 1; one that crosses a border is split
/// there. Empty if one crosses a border that does not divide it.
std::optional<std::vector<std::vector<AxeIterator>>> split_at_dims(std::span<const AxeIterator> iterators,
                                                                   std::span<const Index> shape);

/// The error not_representable with the reason `entangled`: an iterator crosses a dimension.
Failure crossing(std::string_view which);

}  // namespace tessera::detail
