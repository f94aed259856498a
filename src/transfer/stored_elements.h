// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads elements of a checkpoint's tensors, of any width and in any layout.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "files/bit_field.h"
#include "transfer/checkpoint.h"

namespace tessera::transfer {

/// The elements of a stored tensor, named as in CheckpointTensor::offset.
class StoredElements {
 public:
  /// `bits`: of an element; fewer than those of the tensor, if each of its elements is several cells. `touch`
  /// is called before an element that is named by its number is read, if its page window is not that of the
  /// last one: with the bytes that may become resident.
  StoredElements(const Checkpoint& source, std::size_t tensor, Index bits,
                 std::function<void(Index bytes)> touch = {})
      : tensor_(source.tensors()[tensor]),
        bytes_(source.bytes(tensor_)),
        bits_(bits),
        by_number_(tensor_.by_number()),
        touch_(std::move(touch)) {}

  /// Copies elements to those from number `at` on of a buffer of such elements.
  void copy(Index first, Index count, std::byte* target, Index at) {
    if (by_number_) return copy_each(first, count, target, at);
    copy_bits(bytes_.data(), first * bits_, target, at * bits_, count * bits_);
  }
  /// How many elements from the first on equal those of the buffer from number `at` on.
  Index equal(Index first, Index count, const std::byte* other, Index at) {
    if (!by_number_ && same_bits(bytes_.data(), first * bits_, other, at * bits_, count * bits_))
      return count;
    return equal_each(first, count, other, at);
  }
  Index equal(Index first, Index count, StoredElements& other, Index at);

 private:
  void copy_each(Index first, Index count, std::byte* target, Index at);
  Index equal_each(Index first, Index count, const std::byte* other, Index at);
  void read(std::span<const Index> index, std::byte* target, Index bit);
  void touch(Index bit, Index count);
  void each(Index first, Index count, const std::function<bool(Index, std::span<const Index>)>& visit) const;

  const CheckpointTensor& tensor_;
  std::span<const std::byte> bytes_;
  Index bits_;
  bool by_number_;
  std::function<void(Index bytes)> touch_;
  Index window_ = -1;  // the page window of the last bit that was read, counted from the file's begin
};

}  // namespace tessera::transfer
