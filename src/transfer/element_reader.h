// SPDX-License-Identifier: Apache-2.0
/// \file
/// Single elements of a tensor in memory, packed or not.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <span>

#include "files/bit_field.h"
#include "files/packed_elements.h"
#include "tessera/transfer/copy.h"

namespace tessera::transfer {

/// The packing of a tensor. Requires that is_packed() is true.
inline Packing packing_of(const Tensor& tensor) {
  const bool is_signed = tensor.dtype && dtype_class(*tensor.dtype) == DTypeClass::signed_integer;
  return {static_cast<int>(tensor.element_bits), is_signed};
}

/// Reads single elements of a tensor; packed elements are unpacked to one byte.
class ElementReader {
 public:
  ElementReader(const Tensor& tensor, std::span<const std::byte> bytes)
      : bytes_(bytes.data()), bits_(tensor.element_bits), width_(tensor.is_packed() ? 1 : bits_ / 8) {
    if (!tensor.is_packed()) return;
    for (unsigned v = 0; v < (1u << bits_); ++v) {
      const std::byte packed[] = {static_cast<std::byte>(v)};
      unpack(packing_of(tensor), packed, 0, std::span(&values_[v], 1));
    }
  }

  /// The number of bytes of an element.
  std::size_t width() const { return static_cast<std::size_t>(width_); }

  /// The `width()` bytes of the element at an offset. `scratch` has room for one unpacked element, which is
  /// one byte.
  const std::byte* at(Index offset, std::byte* scratch) const {
    if (bits_ >= 8) return bytes_ + offset * width_;
    *scratch = values_[bits_at(bytes_, offset * bits_, bits_)];
    return scratch;
  }

 private:
  const std::byte* bytes_;
  Index bits_;
  Index width_;
  std::array<std::byte, 16> values_ = {};
};

}  // namespace tessera::transfer
