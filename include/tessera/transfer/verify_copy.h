// SPDX-License-Identifier: Apache-2.0
/// \file
/// Checks whether a destination holds what the source holds, by the index maps of both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/transfer/tensor.h"

namespace tessera {

/// Beyond this many elements, not every one is checked through the maps.
inline constexpr Index kVerifyAll = Index{1} << 28;

/// What was checked.
struct VerifyReport {
  Index checked = 0;                           ///< elements compared, each through both maps
  bool all = false;                            ///< these are all elements
  std::optional<std::uint64_t> checksum = {};  ///< otherwise: the sum over all elements, equal for both
  double seconds = 0;
};

/// A tensor and its bytes in memory, from offset 0 of the layout on. `release`, if given, may be called when
/// touched pages of the bytes are no longer needed.
struct TensorBytes {
  const Tensor& tensor;
  std::span<const std::byte> bytes;
  std::function<void()> release = {};
};

struct VerifyOptions {
  Index memory_bytes = Index{1} << 30;  ///< at most this much of the bytes is touched between two releases
  Index all_below = kVerifyAll;         ///< see kVerifyAll
  Index random_elements = 1'000'000;    ///< beyond it
};

/// Compares the elements of two tensors of one shape. The offsets come from the index maps, evaluated as
/// expressions, and not from the digits that plans are made of. Up to `all_below` elements every one is
/// compared; beyond that, `random_elements`, and the sums of a hash of every element, walking each tensor in
/// the order of its memory. Errors: verify_failed; the witness is the first index found that differs.
Result<VerifyReport> verify_copy(const TensorBytes& source, const TensorBytes& destination,
                                 const VerifyOptions& options = {},
                                 const std::function<void(Index done, Index total)>& progress = {});

}  // namespace tessera
