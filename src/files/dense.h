// SPDX-License-Identifier: Apache-2.0
/// \file
/// Dense arrays in C order (the last dimension fastest) and Fortran order (the first dimension fastest).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tessera/base/dtype.h"
#include "tessera/base/result.h"
#include "tessera/notation/layout.h"

namespace tessera {

enum class DenseOrder : std::uint8_t { c, fortran };

/// The layout of an array without padding: in XLA's notation, or as strides if the type is not known. `bits`:
/// the element width. Errors: those of TensorType::make and Layout::make.
Result<Layout> dense_layout(std::optional<DType> dtype, std::span<const Index> shape, DenseOrder order,
                            Index bits);

/// The order of a layout without padding: C if both fit; empty if it has padding or another order.
std::optional<DenseOrder> dense_order(const Layout& layout);

}  // namespace tessera
