// SPDX-License-Identifier: Apache-2.0
#include "mpi/element_sum.h"

#include <vector>

#include "transfer/checksum.h"

namespace tessera::mpi {
namespace {

std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// For each local index of one dimension, the index in the whole array.
std::vector<Index> indices_of(const DimPart& part) {
  std::vector<Index> out(static_cast<std::size_t>(part.extent));
  for (const IndexRun& run : part.runs) {
    for (Index k = 0; k < run.count; ++k) {
      for (Index i = 0; i < run.length; ++i) {
        out[static_cast<std::size_t>(run.local + k * run.local_step + i)] = run.lower + k * run.step + i;
      }
    }
  }
  return out;
}

}  // namespace

std::uint64_t element_sum(const BoundDistribution& side, Index place, Index element_bytes,
                          std::span<const std::byte> buffer) {
  const std::size_t shard = *side.shard_of(place);
  const LocalBuffer local = side.local_buffer(place);
  const std::size_t rank = side.shape().size();
  std::vector<std::vector<Index>> dims;
  for (std::size_t d = 0; d < rank; ++d)
    dims.push_back(indices_of(side.parts(d)[side.part({.shard = shard, .dim = d})]));
  std::vector<Index> at(rank, 0);
  std::uint64_t sum = 0;
  for (Index n = side.elements(shard); n > 0; --n) {
    Index flat = 0;
    for (std::size_t d = 0; d < rank; ++d)
      flat = flat * side.shape()[d] + dims[d][static_cast<std::size_t>(at[d])];
    const std::byte* element = buffer.data() + local.offset(at) * element_bytes;
    sum += mixed(transfer::element_hash(element, static_cast<std::size_t>(element_bytes)) +
                 mixed(static_cast<std::uint64_t>(flat) + 0x9e3779b97f4a7c15));
    for (std::size_t d = rank; d-- > 0;) {
      if (++at[d] < static_cast<Index>(dims[d].size())) break;
      at[d] = 0;
    }
  }
  return sum;
}

}  // namespace tessera::mpi
