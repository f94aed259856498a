// SPDX-License-Identifier: Apache-2.0
/// \file
/// The two orders that file formats know: the last dimension fastest (C), or the first (Fortran).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tessera/base/dtype.h"
#include "tessera/base/result.h"
#include "tessera/notation/layout.h"

namespace tessera {

enum class DenseOrder : std::uint8_t { c, fortran };

/// An array without padding; without a type it is written as strides. Elements of `bits` bits.
Result<Layout> dense_layout(std::optional<DType> dtype, std::span<const Index> shape, DenseOrder order,
                            Index bits);

/// Which of the two orders the layout has, C where it has both; nothing where it has padding or another
/// order.
std::optional<DenseOrder> dense_order(const Layout& layout);

}  // namespace tessera
