// SPDX-License-Identifier: Apache-2.0
#include "transfer/checksum.h"

#include <algorithm>
#include <cstring>

#include "base/mix64.h"

namespace tessera::transfer {

// Elements of up to 8 bytes that differ have different hashes, because mix64 is a bijection.
std::uint64_t element_hash(const std::byte* element, std::size_t width) {
  std::uint64_t out = 0x9e3779b97f4a7c15u;
  for (std::size_t i = 0; i < width; i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, element + i, std::min<std::size_t>(8, width - i));
    out = detail::mix64(out + word);
  }
  return out;
}

}  // namespace tessera::transfer
