// SPDX-License-Identifier: Apache-2.0
#include "notation/digitize.h"

#include "base/check.h"

namespace tessera {

std::optional<std::vector<Digit>> detail::digitize(Index dim, std::span<const Index> table) {
  TESSERA_CHECK(table.empty() || table[0] == 0, "a digit chain is 0 at 0");
  std::vector<Digit> chain;
  std::vector<Index> g(table.begin(), table.end());
  Index div = 1;
  while (g.size() > 1) {
    const Index stride = g[1];
    std::size_t ext = 2;
    while (ext < g.size()) {
      const auto expected = checked_mul(static_cast<Index>(ext), stride);
      if (!expected || g[ext] != *expected) break;
      ++ext;
    }
    for (std::size_t x = 0; x < g.size(); ++x) {
      const auto low = checked_mul(static_cast<Index>(x % ext), stride);
      const auto sum = low ? checked_add(*low, g[x - x % ext]) : low;
      if (!sum || g[x] != *sum) return std::nullopt;
    }
    chain.push_back({dim, div, static_cast<Index>(ext), stride});
    std::vector<Index> higher;
    for (std::size_t x = 0; x < g.size(); x += ext) higher.push_back(g[x]);
    g = std::move(higher);
    div *= static_cast<Index>(ext);
  }
  return chain;
}

}  // namespace tessera
