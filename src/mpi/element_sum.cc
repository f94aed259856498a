// SPDX-License-Identifier: Apache-2.0
#include "mpi/element_sum.h"

#include <algorithm>
#include <cstring>

#include "base/mix64.h"
#include "reshard/plan/each_element.h"

namespace tessera::mpi {
namespace {

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

}  // namespace

std::uint64_t element_sum(const BoundDistribution& side, Index place, Index element_bytes,
                          std::span<const std::byte> buffer) {
  const LocalBuffer local = side.local_buffer(place);
  std::uint64_t sum = 0;
  detail::for_each_element(side, *side.shard_of(place), [&](std::span<const Index> index, Index number) {
    const std::byte* element = buffer.data() + local.offset(index) * element_bytes;
    sum += detail::mix64(element_hash(element, static_cast<std::size_t>(element_bytes)) +
                         detail::mix64(static_cast<std::uint64_t>(number) + 0x9e3779b97f4a7c15));
  });
  return sum;
}

}  // namespace tessera::mpi
