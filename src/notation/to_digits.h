// SPDX-License-Identifier: Apache-2.0
/// \file
/// Converts layouts of every notation to digit normal form. The code is in the folders of the notations.
#pragma once

#include <span>

#include "tessera/algebra/strided_layout.h"
#include "tessera/notation/digits.h"
#include "tessera/notation/linear_layout.h"
#include "tessera/notation/packed_layout.h"
#include "tessera/notation/strides.h"
#include "tessera/notation/tensor_type.h"

namespace tessera {

/// The normal form of a layout's map. Exact. Found from the structure of the notation if possible, else by
/// enumeration (see digits_by_tables for its limit). Errors: not_representable (`entangled`, `irregular`,
/// `not_a_layout`), undecided, and those of applying the layout to its shape.
Result<Digits> to_digits(const TensorType& type);
Result<Digits> to_digits(const PackedLayout& layout, std::span<const Index> shape);
Result<Digits> to_digits(const Strides& strides);
Result<Digits> to_digits(const LinearLayout& layout);
/// The digits of a layout in CuTe's notation: one dimension per top-level mode. `crop` gives the extents of
/// the dimensions if they are smaller than the modes. Requires integer strides and a crop that fits. Never
/// fails.
Digits to_digits(const StridedLayout& layout, std::span<const Index> crop = {});
/// A map with one result over a box of dimensions; anything else is `not_a_layout`.
Result<Digits> to_digits(const IndexMap& map);

}  // namespace tessera
