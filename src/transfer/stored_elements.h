// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads elements of a checkpoint's tensors, of any width and in any layout.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "transfer/checkpoint.h"

namespace tessera::transfer {

/// The elements of a stored tensor, named as in CheckpointTensor::offset.
class StoredElements {
 public:
  /// `bits`: of an element; fewer than those of the tensor, if each of its elements is several cells.
  StoredElements(const Checkpoint& source, std::size_t tensor, Index bits)
      : tensor_(source.tensors()[tensor]), bytes_(source.bytes(tensor_)), bits_(bits) {}

  /// The most bytes of the tensor that become resident if `count` elements are read by their numbers.
  Index touched(Index count) const;
  /// The most elements to read by their numbers before pages are counted again.
  Index piece(Index budget) const;

  /// Copies elements to those from number `at` on of a buffer of such elements.
  void copy(Index first, Index count, std::byte* target, Index at) const;
  /// How many elements from the first on equal those of the buffer from number `at` on.
  Index equal(Index first, Index count, const std::byte* other, Index at) const;
  Index equal(Index first, Index count, const StoredElements& other, Index at) const;

 private:
  void read(std::span<const Index> index, std::byte* target, Index bit) const;
  void each(Index first, Index count, const std::function<bool(Index, std::span<const Index>)>& visit) const;

  const CheckpointTensor& tensor_;
  std::span<const std::byte> bytes_;
  Index bits_;
};

}  // namespace tessera::transfer
