// SPDX-License-Identifier: Apache-2.0
/// \file
/// Elements narrower than a byte: packed in a file, one per byte in memory.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "tessera/base/index.h"

namespace tessera {

/// How elements of 1, 2 or 4 bits are packed into bytes: earlier elements in lower bits. Unpacked, each is a
/// byte whose other bits repeat the sign (`is_signed`) or are 0.
struct Packing {
  int bits = 4;
  bool is_signed = false;

  static constexpr bool valid(Index bits) { return bits == 1 || bits == 2 || bits == 4; }
  Index per_byte() const { return 8 / bits; }
  /// The number of bytes that hold this many elements.
  Index bytes_of(Index elements) const { return ceil_div(elements, per_byte()); }
};

/// Unpacks elements [first, first + out.size()), one per byte of `out`. Requires that `packed` holds them.
void unpack(const Packing& packing, std::span<const std::byte> packed, Index first, std::span<std::byte> out);

/// Packs a sequence of elements that arrives in pieces of any length.
class Packer {
 public:
  explicit Packer(const Packing& packing) : packing_(packing) {}

  /// Packs, in place, the leftover of the previous call and these elements. The result is the front of
  /// `elements`, in whole bytes; elements that do not fill a byte are left over for the next call.
  std::span<const std::byte> pack(std::span<std::byte> elements);
  /// The last byte, with its unused high bits from `old`; empty if no elements are left over.
  std::optional<std::byte> finish(std::byte old = {});

  /// The number, from 0 over all calls, of the first element that does not fit its bits; empty if all fit.
  std::optional<Index> misfit() const { return misfit_; }

 private:
  Packing packing_;
  unsigned pending_ = 0;  // bits of the leftover elements
  int pending_bits_ = 0;
  Index seen_ = 0;
  std::optional<Index> misfit_;
};

}  // namespace tessera
