// SPDX-License-Identifier: Apache-2.0
#include "mpi/element_sum.h"

#include "reshard/each_element.h"
#include "transfer/checksum.h"

namespace tessera::mpi {
namespace {

std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace

std::uint64_t element_sum(const BoundDistribution& side, Index place, Index element_bytes,
                          std::span<const std::byte> buffer) {
  const LocalBuffer local = side.local_buffer(place);
  std::uint64_t sum = 0;
  detail::for_each_element(side, *side.shard_of(place), [&](std::span<const Index> index, Index number) {
    const std::byte* element = buffer.data() + local.offset(index) * element_bytes;
    sum += mixed(transfer::element_hash(element, static_cast<std::size_t>(element_bytes)) +
                 mixed(static_cast<std::uint64_t>(number) + 0x9e3779b97f4a7c15));
  });
  return sum;
}

}  // namespace tessera::mpi
