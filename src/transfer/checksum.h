// SPDX-License-Identifier: Apache-2.0
/// \file
/// A sum of hashes over all elements of a tensor, independent of their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "tessera/transfer/copy.h"

namespace tessera::transfer {

/// A hash of the bytes of an element. It is a bijection for up to 8 bytes.
std::uint64_t element_hash(const std::byte* element, std::size_t width);

/// The sum modulo 2^64 of the hashes of all elements, without padding. Reads in memory order if the layout
/// has digits. Calls `advance` with the number of elements so far after about every `part_bytes` bytes read.
std::uint64_t checksum(const Tensor& tensor, std::span<const std::byte> bytes, Index part_bytes,
                       const std::function<void(Index done)>& advance);

}  // namespace tessera::transfer
