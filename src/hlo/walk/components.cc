// SPDX-License-Identifier: Apache-2.0
#include "hlo/walk/components.h"

#include <algorithm>

namespace tessera::detail {

// Tarjan's algorithm.
std::vector<std::vector<std::uint32_t>> strong_components(
    const std::vector<std::vector<std::uint32_t>>& needs) {
  constexpr std::uint32_t kNew = ~std::uint32_t{0};
  const auto count = static_cast<std::uint32_t>(needs.size());
  std::vector<std::uint32_t> number(count, kNew);
  std::vector<std::uint32_t> lowest(count, 0);
  std::vector<bool> waiting(count, false);
  std::vector<std::uint32_t> stack;
  std::vector<std::vector<std::uint32_t>> out;
  std::uint32_t next = 0;
  struct Visit {
    std::uint32_t node;
    std::size_t edge;
  };
  for (std::uint32_t start = 0; start < count; ++start) {
    if (number[start] != kNew) continue;
    std::vector<Visit> way{{start, 0}};
    while (!way.empty()) {
      const std::uint32_t node = way.back().node;
      if (way.back().edge == 0) {
        number[node] = lowest[node] = next++;
        stack.push_back(node);
        waiting[node] = true;
      }
      bool deeper = false;
      while (way.back().edge < needs[node].size()) {
        const std::uint32_t to = needs[node][way.back().edge++];
        if (number[to] == kNew) {
          way.push_back({to, 0});
          deeper = true;
          break;
        }
        if (waiting[to]) lowest[node] = std::min(lowest[node], number[to]);
      }
      if (deeper) continue;
      if (lowest[node] == number[node]) {
        auto& component = out.emplace_back();
        std::uint32_t member = kNew;
        do {
          member = stack.back();
          stack.pop_back();
          waiting[member] = false;
          component.push_back(member);
        } while (member != node);
        std::ranges::sort(component);
      }
      way.pop_back();
      if (!way.empty()) lowest[way.back().node] = std::min(lowest[way.back().node], lowest[node]);
    }
  }
  return out;
}

}  // namespace tessera::detail
