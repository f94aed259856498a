// SPDX-License-Identifier: Apache-2.0
/// \file
/// Values of families that not only their rules need: `value_of` (rule.h) gives that of an instruction.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "hlo/check/op_value.h"
#include "hlo/ops/window.h"
#include "hlo/syntax/attributes.h"
#include "tessera/hlo/module.h"

namespace tessera::detail {

/// `a DIRECTION b`.
struct CompareOp : OpValue {
  enum class Direction : std::uint8_t { eq, ne, lt, le, gt, ge };
  Direction direction = Direction::eq;

  /// Whether the comparison holds if a - b has this sign.
  static constexpr bool holds(Direction direction, Index sign) {
    const bool equal = direction == Direction::eq || direction == Direction::le || direction == Direction::ge;
    if (sign == 0) return equal;
    if (direction == Direction::eq || direction == Direction::ne) return !equal;
    return (sign < 0) == (direction == Direction::lt || direction == Direction::le);
  }
};

/// The attribute `dimensions` of a broadcast, a transpose or a reverse.
struct DimsOp : OpValue {
  std::vector<Index> dims;
};

struct FusionOp : OpValue {
  std::vector<OutputAlias> aliases;  ///< results that take the memory of operands
};

/// The roles of the dimensions of one side of a dot.
struct DotSide {
  static constexpr Index kFree = -1;
  std::vector<Index> contracting;     ///< dimensions, in attribute order
  std::vector<Index> batch;           ///< likewise
  std::vector<Index> contracting_of;  ///< by dimension: the number of its contracting pair, or kFree
  std::vector<Index> output_of;       ///< by dimension: its output dimension; kFree for contracted ones
  std::vector<bool> ends_at_other;  ///< by contracting pair: only the dimension of the other side is dynamic
};

struct DotOp : OpValue {
  DotSide sides[2];
  std::vector<Index> contracted;  ///< extents of the contracting pairs

  /// Whether the side has a fixed dimension whose pair is dynamic.
  bool ends_at_other(std::size_t side) const {
    return std::ranges::find(sides[side].ends_at_other, true) != sides[side].ends_at_other.end();
  }
};

struct RaggedDotOp : DotOp {
  enum class Mode : std::uint8_t { free, contracted, batch };
  Mode mode = Mode::batch;  ///< the role of the ragged dimension
};

struct ConvolutionOp : OpValue {
  ConvolutionDims dims;
  std::vector<WindowAxis> axes = {};  ///< by spatial dimension
  Index group_input_features = 1;     ///< per feature group: the kernel's input features
  Index group_output_features = 1;    ///< per feature group or batch group
  Index feature_groups = 1;
  Index batch_groups = 1;
  Index output_batch = 1;
  bool groups_vary = false;    ///< groups split a dynamic dimension: what belongs to one depends on its size
  bool window_varies = false;  ///< a spatial dimension of the kernel is dynamic
  bool ends_at_other[2] = {false,
                           false};  ///< of input and kernel: only the other's input features are dynamic

  /// Whether no kernel element of any output falls on padding.
  bool always_inside() const { return std::ranges::all_of(axes, &WindowAxis::always_inside); }
};

/// The windows of a reduce-window or a select-and-scatter.
struct WindowOp : OpValue {
  std::vector<WindowAxis> axes;           ///< by dimension
  const Computation* function = nullptr;  ///< the reduction
};

struct SortOp : OpValue {
  std::size_t dim = 0;
};

/// scan(inputs..., carries...) applies a function along one dimension. It takes (input slices..., carries...)
/// and returns (output slices..., carries...). The results of the scan are the outputs, then the last
/// carries.
struct ScanOp : OpValue {
  std::size_t dim = 0;
  std::size_t carries = 0;
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  bool reverse = false;
  const Computation* function = nullptr;
};

/// A cholesky or a triangular-solve.
struct MatrixOp : OpValue {
  bool left_side = false;
  bool unit_diagonal = false;
};

struct CollectiveOp : OpValue {
  CollectiveGroups groups;
  std::size_t dim = 0;
  bool blocks = false;  ///< an all-to-all of blocks of one operand along the dimension
};

struct PermuteOp : OpValue {
  std::vector<SourceTarget> pairs;
  bool slices = false;      ///< of buffers, at starts that are operands
  bool partitions = false;  ///< the pairs number partitions, not replicas
};

struct CustomCallOp : OpValue {
  std::string target;
  bool marker = false;
};

}  // namespace tessera::detail
