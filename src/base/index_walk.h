// SPDX-License-Identifier: Apache-2.0
/// \file
/// Walks over the indices of a box and over other combinations of digits, such as places in lists. Row-major
/// order, the last dimension fastest, unless a name says otherwise.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "tessera/base/index.h"

namespace tessera::detail {

/// Advances to the next combination of `count` digits, the last one fastest: `advance(d)` moves digit d to
/// its next value and returns true, or back to its first value and returns false. False after the last
/// combination.
template <class Advance>
constexpr bool advance_last(std::size_t count, const Advance& advance) {
  while (count-- > 0) {
    if (advance(count)) return true;
  }
  return false;
}

/// The same, the first digit fastest.
template <class Advance>
constexpr bool advance_first(std::size_t count, const Advance& advance) {
  for (std::size_t d = 0; d < count; ++d) {
    if (advance(d)) return true;
  }
  return false;
}

/// Moves a digit to its next value in [begin, end); false, and back at `begin`, after the last one.
template <class T>
constexpr bool next_value(T& digit, std::type_identity_t<T> begin, std::type_identity_t<T> end) {
  if (++digit < end) return true;
  digit = begin;
  return false;
}

/// Moves a digit up by `step` within [first, last]; false, and back at `first`, if it would pass the last.
constexpr bool next_step(Index& digit, Index first, Index last, Index step) {
  if (last - digit >= step) {
    digit += step;
    return true;
  }
  digit = first;
  return false;
}

/// Advances to the next index of the box [begin, end); false, and back at `begin`, after the last index.
inline bool next_index(std::span<Index> index, std::span<const Index> begin, std::span<const Index> end) {
  return advance_last(index.size(), [&](std::size_t d) { return next_value(index[d], begin[d], end[d]); });
}

/// Advances to the next index of an array with these extents; false, and back at 0, after the last index.
inline bool next_index(std::span<Index> index, std::span<const Index> extents) {
  return advance_last(index.size(), [&](std::size_t d) { return next_value(index[d], 0, extents[d]); });
}

/// The same for the dimensions `dims` only; the others do not change.
inline bool next_index_of(std::span<const std::size_t> dims, std::span<Index> index,
                          std::span<const Index> extents) {
  return advance_last(dims.size(),
                      [&](std::size_t k) { return next_value(index[dims[k]], 0, extents[dims[k]]); });
}

/// The same, the first dimension fastest.
inline bool next_index_first_fastest(std::span<Index> index, std::span<const Index> extents) {
  return advance_first(index.size(), [&](std::size_t d) { return next_value(index[d], 0, extents[d]); });
}

/// The number of indices of an array with these extents; empty if it overflows 64 bits. 0 if an extent is 0,
/// even if the product of the others overflows.
inline std::optional<Index> element_count(std::span<const Index> extents) {
  if (std::ranges::find(extents, 0) != extents.end()) return 0;
  Index count = 1;
  for (const Index extent : extents) {
    if (mul_overflows(count, extent, count)) return std::nullopt;
  }
  return count;
}

/// The strides of an array whose last dimension is the fastest; the last is 1. Requires an element count
/// within 64 bits.
inline std::vector<Index> row_major_strides(std::span<const Index> extents) {
  std::vector<Index> strides(extents.size(), 1);
  for (std::size_t d = extents.size(); d-- > 1;) strides[d - 1] = strides[d] * extents[d];
  return strides;
}

/// The row-major number of an index of an array with these extents.
inline Index number_of_index(std::span<const Index> index, std::span<const Index> extents) {
  Index number = 0;
  for (std::size_t d = 0; d < extents.size(); ++d) number = number * extents[d] + index[d];
  return number;
}

/// Sets `index` to the index of an array with these extents that has this row-major number.
inline void set_index(std::span<Index> index, std::span<const Index> extents, Index number) {
  for (std::size_t d = extents.size(); d-- > 0; number /= extents[d]) index[d] = number % extents[d];
}

/// The index of an array with these extents that has this row-major number.
inline std::vector<Index> index_with_number(std::span<const Index> extents, Index number) {
  std::vector<Index> index(extents.size());
  set_index(index, extents, number);
  return index;
}

/// The same, counted with the first dimension fastest.
inline std::vector<Index> index_with_number_first_fastest(std::span<const Index> extents, Index number) {
  std::vector<Index> index(extents.size());
  for (std::size_t d = 0; d < extents.size(); number /= extents[d++]) index[d] = number % extents[d];
  return index;
}

}  // namespace tessera::detail
