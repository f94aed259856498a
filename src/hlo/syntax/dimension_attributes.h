// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads attributes with an entry for each dimension; errors as in attributes.h.
#pragma once

#include <cstddef>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/hlo/module.h"

namespace tessera {

/// One dimension of `slice={[start:limit:stride]}`: elements start, start + stride, ... below limit.
struct SliceRange {
  Index start = 0;
  Index limit = 0;
  Index stride = 1;
  friend bool operator==(const SliceRange&, const SliceRange&) = default;
};
Result<std::vector<SliceRange>> read_slice_ranges(const Attribute& attribute);

/// One dimension of `padding=low_high_interior`: elements inserted before the first, after the last and
/// between neighbors. `low` and `high` may be negative (cropping).
struct PadRange {
  Index low = 0;
  Index high = 0;
  Index interior = 0;
  friend bool operator==(const PadRange&, const PadRange&) = default;
};
Result<std::vector<PadRange>> read_padding(const Attribute& attribute);

/// One dimension of `window={size=3x3 stride=2x2 pad=0_1x0_1 lhs_dilate=1x1 rhs_dilate=1x1
/// rhs_reversal=0x0}`. Omitted fields have the values below; `{}` has no dimensions.
struct WindowDim {
  Index size = 1;
  Index stride = 1;
  Index pad_low = 0;
  Index pad_high = 0;
  Index lhs_dilate = 1;  ///< distance between two input elements (base dilation)
  Index rhs_dilate = 1;  ///< distance between two window elements (window dilation)
  bool reversed = false;
  friend bool operator==(const WindowDim&, const WindowDim&) = default;
};
Result<std::vector<WindowDim>> read_window(const Attribute& attribute);

/// `dim_labels=b01f_01io->b01f`: the roles of the dimensions of each array; -1 for a missing label.
/// `spatial[k]` is the dimension with the digit k as its label. A `?` marks a dimension without a role.
struct ConvolutionDims {
  Index input_batch = -1;
  Index input_feature = -1;
  std::vector<Index> input_spatial;
  Index kernel_input_feature = -1;
  Index kernel_output_feature = -1;
  std::vector<Index> kernel_spatial;
  Index output_batch = -1;
  Index output_feature = -1;
  std::vector<Index> output_spatial;
  std::size_t input_rank = 0;  ///< number of labels, `?` included
  std::size_t kernel_rank = 0;
  std::size_t output_rank = 0;
  friend bool operator==(const ConvolutionDims&, const ConvolutionDims&) = default;
};
Result<ConvolutionDims> read_dim_labels(const Attribute& attribute);

}  // namespace tessera
