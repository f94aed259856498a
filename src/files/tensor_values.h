// SPDX-License-Identifier: Apache-2.0
/// \file
/// Values of a tensor in a file.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/files/tensor_file.h"

namespace tessera {

/// Every `step`-th index of a dimension: `count` indices from `first` on.
struct IndexSlice {
  Index first = 0;
  Index count = 1;
  Index step = 1;
};

/// Reads one entry for each dimension: an index, `a:b`, `a:b:step`, or `:` for all; dimensions without an
/// entry are whole. Errors, each with its span: syntax, rank_mismatch (more entries than dimensions),
/// index_out_of_range, number_range.
Result<std::vector<IndexSlice>> parse_slices(std::string_view text, std::span<const Index> shape);

/// `0:4, 3, 0:8:2`.
std::string to_string(std::span<const IndexSlice> slices);

/// Chosen values of a tensor, in row-major order.
struct TensorValues {
  std::string name;
  std::string type;  ///< of the elements, as text
  std::vector<Index> shape;
  std::vector<IndexSlice> slices;
  std::vector<std::vector<std::string>> values;  ///< as element_parts gives them
};

/// The values of the tensor of a file. Reads only these elements. Errors: those of parse_slices, limit (more
/// than kFileLimits.values), not_applicable (a type without a layout).
Result<TensorValues> tensor_values(const TensorFile& file, std::string_view slices);

}  // namespace tessera
