// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace tessera::testing_mdspan {

// The interface of std::extents, with every extent dynamic, for standard libraries before C++23.
template <std::size_t kRank, class I = int>
struct Extents {
  using index_type = I;
  using size_type = unsigned;
  using rank_type = std::size_t;
  I values[kRank] = {};

  template <class... N>
  explicit constexpr Extents(N... n) : values{static_cast<I>(n)...} {}
  static constexpr rank_type rank() { return kRank; }
  constexpr index_type extent(rank_type r) const { return values[r]; }
  friend constexpr bool operator==(const Extents&, const Extents&) = default;
};

}  // namespace tessera::testing_mdspan
