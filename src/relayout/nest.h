// SPDX-License-Identifier: Apache-2.0
/// \file
/// A box of elements as a nest of loops over both buffers, before a kernel is chosen.
#pragma once

#include <cstddef>

#include "relayout/inline_vector.h"
#include "tessera/base/index.h"

namespace tessera::moving {

/// One digit on both sides. Strides in bytes; with tables, entry i is at src_table[i] and dst_table[i], both
/// 0 for i = 0 after normalize(), and `dst` is the step to entry 1, used for sorting. `repeats`: sorting may
/// exchange elements (entries share source offsets, or each offset is copied to itself), so loops of sorted
/// entries are not loops of indices and could not be proved.
struct Term {
  Index ext = 1;
  Index src = 0;
  Index dst = 0;
  Index* src_table = nullptr;
  Index* dst_table = nullptr;
  bool repeats = false;
  bool has_table() const { return src_table != nullptr; }
};

/// Extents >= 2 whose product fits 63 bits: never more terms than that.
inline constexpr std::size_t kMaxTerms = 64;

/// Runs of `run` bytes from src + (one offset per term) to dst + (one offset per term).
struct Nest {
  Index src = 0;
  Index dst = 0;
  Index run = 1;
  InlineVector<Term, kMaxTerms> terms = {};

  void add(const Term& term) {
    if (term.ext > 1) terms.push_back(term);
  }
};

/// The order of the terms does not change the copy. Sorts tables by destination and splits affine inner runs
/// off them, reverses negative destination strides, sorts by destination stride, merges terms that are one
/// loop on both sides, and makes what is contiguous on both sides part of the run (unless `fixed_run`).
/// O(terms^2).
void normalize(Nest& nest, bool fixed_run = false);

}  // namespace tessera::moving
