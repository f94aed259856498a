// SPDX-License-Identifier: Apache-2.0
#include "transfer/stored_elements.h"

#include <array>

#include "base/index_walk.h"
#include "transfer/page_budget.h"

namespace tessera::transfer {

// Counts the page windows of `count` bits of the tensor. Elements are mostly near the one before.
void StoredElements::touch(Index bit, Index count) {
  if (!touch_) return;
  for (const Index at : {bit, bit + count - 1}) {
    const Index window = (tensor_.begin + at / 8) / kPageWindow;
    if (window == window_) continue;
    window_ = window;
    touch_(kPageWindow);
  }
}

void StoredElements::read(std::span<const Index> index, std::byte* target, Index bit) {
  if (!tensor_.layout) {
    for (int k = 0; k < static_cast<int>(bits_); ++k) {
      const Index from = tensor_.named->bit_offset(index, k);
      touch(from, 1);
      copy_bits(bytes_.data(), from, target, bit + k, 1);
    }
    return;
  }
  const Index from = tensor_.layout->offset(index) * bits_;
  touch(from, bits_);
  copy_bits(bytes_.data(), from, target, bit, bits_);
}

void StoredElements::each(Index first, Index count,
                          const std::function<bool(Index, std::span<const Index>)>& visit) const {
  if (count == 0) return;
  std::vector<Index> index = detail::index_with_number(tensor_.shape, first);
  for (Index k = 0; k < count && visit(k, index); ++k) detail::next_index(index, tensor_.shape);
}

void StoredElements::copy_each(Index first, Index count, std::byte* target, Index at) {
  each(first, count, [&](Index k, std::span<const Index> index) {
    read(index, target, (at + k) * bits_);
    return true;
  });
}

Index StoredElements::equal_each(Index first, Index count, const std::byte* other, Index at) {
  Index same = 0;
  if (!by_number_) {
    const std::byte* const own = bytes_.data();
    while (same < count && same_bits(own, (first + same) * bits_, other, (at + same) * bits_, bits_)) ++same;
    return same;
  }
  std::array<std::byte, 16> element = {};
  each(first, count, [&](Index k, std::span<const Index> index) {
    read(index, element.data(), 0);
    if (!same_bits(element.data(), 0, other, (at + k) * bits_, bits_)) return false;
    ++same;
    return true;
  });
  return same;
}

Index StoredElements::equal(Index first, Index count, StoredElements& other, Index at) {
  if (!other.by_number_) return equal(first, count, other.bytes_.data(), at);
  if (!by_number_) return other.equal(at, count, bytes_.data(), first);
  std::array<std::byte, 16> element = {};
  Index same = 0;
  other.each(at, count, [&](Index k, std::span<const Index> index) {
    other.read(index, element.data(), 0);
    if (equal(first + k, 1, element.data(), 0) == 0) return false;
    ++same;
    return true;
  });
  return same;
}

}  // namespace tessera::transfer
