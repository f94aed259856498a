// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads elements of a checkpoint's tensors, of any width and in any layout.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "files/bit_field.h"
#include "tessera/relayout/relayout.h"
#include "transfer/checkpoint.h"
#include "transfer/page_budget.h"
#include "transfer/reach.h"

namespace tessera::transfer {

/// The elements of a stored tensor, named as in CheckpointTensor::offset.
class StoredElements {
 public:
  /// `bits`: of an element; fewer than those of the tensor, if each of its elements is several cells. Page
  /// windows of elements that are named by their numbers count in `pages`, each once until the pages are
  /// dropped.
  StoredElements(const CheckpointTensor& tensor, const std::byte* bytes, Index bits,
                 PageBudget* pages = nullptr)
      : tensor_(tensor), bytes_(bytes), bits_(bits), by_number_(tensor.by_number()), pages_(pages) {}
  StoredElements(const Checkpoint& source, std::size_t tensor, Index bits, PageBudget* pages = nullptr)
      : StoredElements(source.tensors()[tensor], source.bytes(source.tensors()[tensor]).data(), bits, pages) {
  }

  /// Puts all elements into memory, in row-major order, from where `copy` then takes them. Does nothing
  /// without a plan for the layout. Returns the bytes of memory.
  Index lay_out(PlanCache& plans);

  /// Copies elements to those from number `at` on of a buffer of such elements.
  void copy(Index first, Index count, std::byte* target, Index at) {
    if (by_number_ && rows_.empty()) return copy_each(first, count, target, at);
    copy_bits(by_number_ ? rows_.data() : bytes_, first * bits_, target, at * bits_, count * bits_);
  }
  /// How many elements from the first on equal those of the buffer from number `at` on.
  Index equal(Index first, Index count, const std::byte* other, Index at) {
    if (!by_number_ && same_bits(bytes_, first * bits_, other, at * bits_, count * bits_)) return count;
    return equal_each(first, count, other, at);
  }
  Index equal(Index first, Index count, StoredElements& other, Index at);

 private:
  void copy_each(Index first, Index count, std::byte* target, Index at);
  Index equal_each(Index first, Index count, const std::byte* other, Index at);
  void read(std::span<const Index> index, Index length, std::byte* target, Index bit);
  Index matching(std::span<const Index> index, Index length, const std::byte* other, Index bit);
  void touch(Index bit, Index count);
  // Of the number of an element, its index, and how many from there on are in one of tensor_.rows.
  using Visit = std::function<bool(Index, std::span<const Index>, Index)>;
  void each(Index first, Index count, const Visit& visit) const;
  bool each_near(Index first, Index count, const Visit& visit);
  bool each_in(const IndexBox& box, const std::function<bool(std::span<const Index>, Index)>& visit) const;

  const CheckpointTensor& tensor_;
  const std::byte* bytes_;
  Index bits_;
  bool by_number_;
  PageBudget* pages_;
  std::vector<std::byte> rows_;  // all elements, by number
  std::optional<Reach> reach_;   // if the tensor may not be resident as a whole
  std::vector<bool> windows_;    // page windows of the file that were touched since pages were dropped
  Index window_ = -1;            // the last of them
  Index drops_ = 0;
};

/// Two offsets of a move, of its source and its target, at which the elements differ; nothing if all are
/// equal. They have `bits` bits. Counts the pages of both files. Errors: those of a canceled question.
Result<std::optional<std::pair<Index, Index>>> first_difference(StoredElements& from, StoredElements& to,
                                                                const StridedMove& move, Index bits,
                                                                PageBudget& pages);

}  // namespace tessera::transfer
