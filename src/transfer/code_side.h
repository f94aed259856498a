// SPDX-License-Identifier: Apache-2.0
/// \file
/// One side of a copy of codes: where the bits of each element lie, and what type they have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "files/packed_elements.h"
#include "tessera/base/result.h"
#include "tessera/notation/named_layout.h"
#include "tessera/transfer/copy.h"

namespace tessera {

/// An array of codes. A named layout holds exactly the bits of its type; in another layout, elements narrower
/// than a byte may take a byte each.
struct CodeSide {
  NamedOrLayout layout;
  CellType type = {};
  Index cell_bits = 8;  ///< of a layout that is not of kind bits; at least type.bits

  std::span<const Index> shape() const { return layout.shape(); }
  /// The number of elements.
  Index size() const;
  /// Bytes of the buffer, padding included, without a prefix. Errors: those of Layout::buffer_size, overflow.
  Result<Index> bytes() const;
  /// `pack:awq u4[8,16]`, in the notation in which the layout is written.
  std::string text() const;

  /// The bits of an element as a number. Requires the bytes of the buffer.
  std::uint64_t code(std::span<const Index> index, std::span<const std::byte> buffer) const;
  /// Whether the cell of an element has only the bits of its code, or their sign.
  bool fits(std::span<const Index> index, std::span<const std::byte> buffer) const;
  /// Stores a code, and its sign or zeros in the rest of its cell. The buffer begins at byte `begin` of the
  /// array.
  void store(std::span<const Index> index, std::uint64_t code, std::span<std::byte> buffer,
             Index begin = 0) const;

 private:
  Index bit_offset(std::span<const Index> index, int bit) const;
};

/// The packing of a tensor. Requires that is_packed() is true.
inline Packing packing_of(const Tensor& tensor) {
  const bool is_signed = tensor.dtype && dtype_class(*tensor.dtype) == DTypeClass::signed_integer;
  return {static_cast<int>(tensor.element_bits), is_signed};
}

/// The side of a tensor in a layout that has no name.
CodeSide code_side(const Tensor& tensor);
/// The side of a named layout.
Result<CodeSide> code_side(const NamedLayout& named);

/// Whether codes of `from` may be stored as `to`: the same type; unsigned in u8 and signed in s8, if they are
/// narrower; after a change of codes also u and s of one width. Errors: different_type.
Result<void> check_types(const CellType& from, const CellType& to, bool recoded);

}  // namespace tessera
