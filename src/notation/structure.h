// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds digits from the structure of a notation, without enumeration. The code is in the folders of the
/// notations.
#pragma once

#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "notation/dim_groups.h"
#include "tessera/base/result.h"
#include "tessera/map/index_map.h"
#include "tessera/notation/digits.h"
#include "tessera/notation/linear_layout.h"
#include "tessera/notation/tensor_type.h"

namespace tessera::detail {

/// 0, 1, ..., rank - 1.
inline std::vector<std::size_t> all_dims(std::size_t rank) {
  std::vector<std::size_t> dims(rank);
  std::iota(dims.begin(), dims.end(), std::size_t{0});
  return dims;
}

/// The normal form, if it follows from the structure; empty if enumeration must decide. Requires an array
/// whose sizes fit in 64 bits, or a map that box_of accepts.
std::optional<Digits> structural_digits(const TensorType& type);
std::optional<Digits> structural_digits(const LinearLayout& layout);
std::optional<Digits> structural_digits(const IndexMap& map);

/// Sets of two or more dimensions that may interact.
DimGroups interacting_dims(const TensorType& type);
DimGroups interacting_dims(const LinearLayout& layout);
DimGroups interacting_dims(const IndexMap& map);

/// The largest XOR of any subset of the bases.
Index largest_xor(const LinearLayout& layout);

/// The extents of the domain of a map with one result. Errors: not_representable with reason `not_a_layout`.
Result<std::vector<Index>> box_of(const IndexMap& map);

}  // namespace tessera::detail
