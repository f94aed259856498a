// SPDX-License-Identifier: Apache-2.0
/// \file
/// The moves of a tensor in units of whole bytes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "transfer/file_plan.h"

namespace tessera::transfer {

/// The moves of one tensor. Offsets count units of `unit_bytes`; or, if `unit_bytes` is 0, elements of fewer
/// than 8 bits that do not keep to bytes.
class ByteBoxes {
 public:
  explicit ByteBoxes(const TargetTensor& tensor);

  Index unit_bytes() const { return unit_bytes_; }
  /// The parts of moves that write bytes [begin, end) of the tensor, by target. Without units, both must be
  /// multiples of element_bits bytes, or the end.
  std::vector<TensorMove> inside(Index begin, Index end) const;

 private:
  Index element_bits_;
  Index unit_bytes_ = 0;
  std::vector<TensorMove> moves_;
  std::vector<Index> reach_;  // the largest target offset of each move and those before it
};

/// Copies the elements of a box between buffers of elements of `bits` bits, the first in the low bits.
void copy_bits(const StridedBox& box, Index bits, const std::byte* source, std::byte* target);

}  // namespace tessera::transfer
