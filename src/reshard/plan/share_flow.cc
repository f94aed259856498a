// SPDX-License-Identifier: Apache-2.0
#include "reshard/plan/share_flow.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

namespace tessera::detail {
namespace {

// Dinic's algorithm for the maximum flow from groups to places. Node 0 is the source, node 1 the sink; then
// come groups, then places.
class ShareFlow {
 public:
  ShareFlow(const std::vector<ShareGroup>& groups, const std::vector<Index>& fixed)
      : groups_(groups), fixed_(fixed), edges_of_(2 + groups.size() + fixed.size()) {
    for (std::size_t g = 0; g < groups.size(); ++g) add(0, 2 + g);
    for (std::size_t p = 0; p < fixed.size(); ++p) add(2 + groups.size() + p, 1);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      first_.push_back(edges_.size());
      for (const Index place : groups[g].places)
        add(2 + g, 2 + groups.size() + static_cast<std::size_t>(place));
    }
  }

  // Spreads the shares so that no place sends more than `most`; false if that is impossible. Requires most >=
  // every fixed load.
  bool spread(Index most) {
    for (Edge& edge : edges_) edge.room = 0;
    Index demand = 0;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      edges_[2 * g].room = groups_[g].demand;
      demand += groups_[g].demand;
    }
    for (std::size_t p = 0; p < fixed_.size(); ++p) {
      edges_[2 * (groups_.size() + p)].room = most - fixed_[p];
    }
    // A place sends at most the demand of its group. (With unlimited room, reversing a flow once overflowed.)
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      for (std::size_t m = 0; m < groups_[g].places.size(); ++m) {
        edges_[first_[g] + 2 * m].room = groups_[g].demand;
      }
    }
    Index flow = 0;
    while (find_levels()) {
      at_.assign(edges_of_.size(), 0);
      while (const Index pushed = push()) flow += pushed;
    }
    return flow == demand;
  }

  std::vector<std::vector<Index>> shares() const {
    std::vector<std::vector<Index>> out;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      out.emplace_back();
      for (std::size_t m = 0; m < groups_[g].places.size(); ++m) {
        out.back().push_back(edges_[first_[g] + 2 * m + 1].room);
      }
    }
    return out;
  }

 private:
  struct Edge {
    std::size_t to = 0;
    Index room = 0;
  };

  // Adds an edge and its reverse, which gets the next number.
  void add(std::size_t from, std::size_t to) {
    edges_of_[from].push_back(edges_.size());
    edges_.push_back({to});
    edges_of_[to].push_back(edges_.size());
    edges_.push_back({from});
  }

  bool find_levels() {
    level_.assign(edges_of_.size(), -1);
    level_[0] = 0;
    std::vector<std::size_t> queue = {0};
    for (std::size_t k = 0; k < queue.size(); ++k) {
      for (const std::size_t e : edges_of_[queue[k]]) {
        if (edges_[e].room == 0 || level_[edges_[e].to] >= 0) continue;
        level_[edges_[e].to] = level_[queue[k]] + 1;
        queue.push_back(edges_[e].to);
      }
    }
    return level_[1] >= 0;
  }

  // Sends as much as one path from the source to the sink takes; 0 if there is no path left. A path may visit
  // every group and place, so it is a list and not a recursion.
  Index push() {
    path_.clear();
    for (std::size_t node = 0; node != 1;) {
      const auto edge = next_edge(node);
      if (edge) {
        path_.push_back(*edge);
        node = edges_[*edge].to;
        continue;
      }
      if (path_.empty()) return 0;
      node = edges_[path_.back() ^ 1].to;  // a dead end: go back, and do not come here again
      path_.pop_back();
      ++at_[node];
    }
    Index most = std::numeric_limits<Index>::max();
    for (const std::size_t e : path_) most = std::min(most, edges_[e].room);
    for (const std::size_t e : path_) {
      edges_[e].room -= most;
      edges_[e ^ 1].room += most;
    }
    return most;
  }

  // The next edge with room that leads one level up.
  std::optional<std::size_t> next_edge(std::size_t node) {
    for (std::size_t& k = at_[node]; k < edges_of_[node].size(); ++k) {
      const std::size_t e = edges_of_[node][k];
      if (edges_[e].room > 0 && level_[edges_[e].to] == level_[node] + 1) return e;
    }
    return {};
  }

  const std::vector<ShareGroup>& groups_;
  const std::vector<Index>& fixed_;
  std::vector<Edge> edges_;
  std::vector<std::vector<std::size_t>> edges_of_;
  std::vector<std::size_t> first_;  // for each group, the edge to its first place
  std::vector<int> level_;
  std::vector<std::size_t> at_;  // of each node, the edge to try next
  std::vector<std::size_t> path_;
};

}  // namespace

std::vector<std::vector<Index>> least_shares(const std::vector<ShareGroup>& groups,
                                             const std::vector<Index>& fixed) {
  ShareFlow flow(groups, fixed);
  Index all = std::accumulate(fixed.begin(), fixed.end(), Index{0});
  Index low = *std::ranges::max_element(fixed);
  std::vector<Index> equal = fixed;
  for (const ShareGroup& group : groups) {
    const auto members = static_cast<Index>(group.places.size());
    all += group.demand;
    low = std::max(low, ceil_div(group.demand, members));
    for (const Index place : group.places) {
      equal[static_cast<std::size_t>(place)] += ceil_div(group.demand, members);
    }
  }
  low = std::max(low, ceil_div(all, static_cast<Index>(fixed.size())));
  Index high = *std::ranges::max_element(equal);
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (flow.spread(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  flow.spread(low);
  return flow.shares();
}

}  // namespace tessera::detail
