// SPDX-License-Identifier: Apache-2.0
/// \file
/// A box of elements as a nest of loops over both buffers, before a kernel is chosen.
#pragma once

#include <cstddef>

#include "base/inline_vector.h"
#include "relayout/limits.h"
#include "tessera/base/index.h"

namespace tessera::moving {

/// A loop over one digit, with a stride in bytes on each side; or, with tables, over entries at src_table[i]
/// and dst_table[i]. After normalize() both tables start at 0, and `dst` is the step to entry 1, used for
/// sorting. If `repeats` is set, sorting the entries may exchange interchangeable elements. Then a run of
/// sorted entries with equal steps is not a loop over the index, and verify could not prove it.
struct NestDim {
  Index ext = 1;
  Index src = 0;
  Index dst = 0;
  Index* src_table = nullptr;
  Index* dst_table = nullptr;
  bool repeats = false;
  bool has_table() const { return src_table != nullptr; }
};

/// A loop nest without an order: copies `run` bytes for each combination of the dims, from src + (sum of the
/// dims' source offsets) to dst + (sum of their destination offsets).
struct Nest {
  Index src = 0;
  Index dst = 0;
  Index run = 1;
  detail::InlineVector<NestDim, kRelayoutLimits.nest_dims> dims = {};

  void add(const NestDim& dim) {
    if (dim.ext > 1) dims.push_back(dim);
  }
};

/// Brings the nest into normal form without changing the copy: sorts tables by destination and splits loops
/// off them, reverses negative destination strides, sorts dims by destination stride, merges dims that are
/// one loop on both sides, and (unless `fixed_run`) makes dims that are contiguous on both sides part of the
/// run. O(dims^2 + entries log entries).
void normalize(Nest& nest, bool fixed_run = false);

}  // namespace tessera::moving
