// SPDX-License-Identifier: Apache-2.0
/// \file
/// A sum over the elements of a shard that does not depend on who holds them.
#pragma once

#include <cstdint>
#include <span>

#include "tessera/reshard/bound_distribution.h"

namespace tessera::mpi {

/// The sum modulo 2^64 of a hash of the index and the bits of each element that a place holds. The index is
/// that of the array in row-major order. Requires a place of the distribution and its whole buffer.
std::uint64_t element_sum(const BoundDistribution& side, Index place, Index element_bytes,
                          std::span<const std::byte> buffer);

}  // namespace tessera::mpi
