// SPDX-License-Identifier: Apache-2.0
/// \file
/// The moves of a tensor in units of whole bytes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "transfer/file_plan.h"

namespace tessera::transfer {

/// The moves of one tensor. Offsets count units of `unit_bytes`. If `unit_bytes` is 0, they count elements of
/// fewer than 8 bits, because some run begins or ends inside a byte.
class ByteBoxes {
 public:
  explicit ByteBoxes(const TargetTensor& tensor);

  Index unit_bytes() const { return unit_bytes_; }
  /// The parts of moves that write bytes [begin, end) of the tensor, by target offset. If there are no units,
  /// `begin` and `end` must be multiples of element_bits bytes, or the end of the tensor.
  std::vector<TensorMove> inside(Index begin, Index end) const;

 private:
  Index element_bits_;
  Index unit_bytes_ = 0;
  std::vector<TensorMove> moves_;
  std::vector<Index> reach_;  // for each move, the largest target offset of the moves up to it
};

}  // namespace tessera::transfer
