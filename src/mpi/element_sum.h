// SPDX-License-Identifier: Apache-2.0
/// \file
/// A sum over the elements of shards that does not depend on which place holds which element.
#pragma once

#include <cstdint>
#include <span>

#include "tessera/reshard/distribution.h"

namespace tessera::mpi {

/// For the elements that a place holds: the sum modulo 2^64 of a hash of each element's index and bits. The
/// index is that of the whole array in row-major order. Requires a place of the distribution and its whole
/// buffer.
std::uint64_t element_sum(const BoundDistribution& side, Index place, Index element_bytes,
                          std::span<const std::byte> buffer);

}  // namespace tessera::mpi
