// SPDX-License-Identifier: Apache-2.0
#include "relayout/nest.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace tessera::moving {
namespace {

// Sorts the entries by destination and shifts them so that the first is at 0. Returns whether that changed
// their order.
bool sort_table(Nest& nest, NestDim& dim) {
  const auto n = static_cast<std::size_t>(dim.ext);
  const bool sorted = std::is_sorted(dim.dst_table, dim.dst_table + n);
  if (!sorted) {
    std::vector<std::pair<Index, Index>> entries(n);
    for (std::size_t i = 0; i < n; ++i) entries[i] = {dim.dst_table[i], dim.src_table[i]};
    std::ranges::sort(entries);
    for (std::size_t i = 0; i < n; ++i) {
      dim.dst_table[i] = entries[i].first;
      dim.src_table[i] = entries[i].second;
    }
  }
  const Index src = dim.src_table[0];
  const Index dst = dim.dst_table[0];
  nest.src += src;
  nest.dst += dst;
  for (std::size_t i = 0; i < n; ++i) {
    dim.src_table[i] -= src;
    dim.dst_table[i] -= dst;
  }
  return !sorted;
}

// The largest n such that the table consists of arithmetic progressions of n entries with the same steps; 1
// if there is none larger.
Index affine_length(const NestDim& dim) {
  const Index src = dim.src_table[1];
  const Index dst = dim.dst_table[1];
  Index length = 2;
  while (length < dim.ext && dim.src_table[length] == length * src && dim.dst_table[length] == length * dst)
    ++length;
  if (length < dim.ext) length = std::gcd(length, dim.ext);
  Index start = 0;
  for (Index i = 0; i < dim.ext && length > 1; ++i) {
    if (i - start == length) start = i;
    const Index step = i - start;
    if (dim.src_table[i] != dim.src_table[start] + step * src ||
        dim.dst_table[i] != dim.dst_table[start] + step * dst) {
      length = std::gcd(length, step);
      start = i;
    }
  }
  return length;
}

void simplify_tables(Nest& nest) {
  for (std::size_t k = 0; k < nest.dims.size(); ++k) {
    NestDim& dim = nest.dims[k];
    if (!dim.has_table()) continue;
    const bool whole = sort_table(nest, dim) && dim.repeats;
    while (dim.ext > 1 && !whole) {
      const Index length = affine_length(dim);
      if (length == 1) break;
      nest.dims.push_back({length, dim.src_table[1], dim.dst_table[1]});
      dim.ext /= length;
      for (Index i = 0; i < dim.ext; ++i) {
        dim.src_table[i] = dim.src_table[i * length];
        dim.dst_table[i] = dim.dst_table[i * length];
      }
    }
    if (dim.ext > 1) {
      dim.dst = dim.dst_table[1];
    } else {
      nest.dims.erase(k--);
    }
  }
}

bool fuse_once(Nest& nest) {
  for (std::size_t inner = 0; inner < nest.dims.size(); ++inner) {
    NestDim& a = nest.dims[inner];
    if (a.has_table()) continue;
    for (std::size_t outer = inner + 1; outer < nest.dims.size(); ++outer) {
      const NestDim& b = nest.dims[outer];
      // Neither product overflows: both are spans inside buffers whose sizes were checked.
      if (b.has_table() || b.dst != a.ext * a.dst || b.src != a.ext * a.src) continue;
      a.ext *= b.ext;
      nest.dims.erase(outer);
      return true;
    }
  }
  return false;
}

}  // namespace

void normalize(Nest& nest, bool fixed_run) {
  simplify_tables(nest);
  for (NestDim& dim : nest.dims) {
    if (dim.has_table() || dim.dst >= 0) continue;
    nest.src += (dim.ext - 1) * dim.src;
    nest.dst += (dim.ext - 1) * dim.dst;
    dim.src = -dim.src;
    dim.dst = -dim.dst;
  }
  std::sort(nest.dims.begin(), nest.dims.end(),
            [](const NestDim& a, const NestDim& b) { return a.dst < b.dst; });
  while (fuse_once(nest)) {
  }
  if (fixed_run) return;
  for (std::size_t k = 0; k < nest.dims.size();) {
    const NestDim& dim = nest.dims[k];
    if (!dim.has_table() && dim.src == nest.run && dim.dst == nest.run) {
      nest.run *= dim.ext;
      nest.dims.erase(k);
      k = 0;
    } else {
      ++k;
    }
  }
}

}  // namespace tessera::moving
