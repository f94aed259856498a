// SPDX-License-Identifier: Apache-2.0
// Rounds: an edge coloring of a bipartite graph with as many colors as the largest degree.
#include <algorithm>
#include <numeric>

#include "tessera/reshard/reshard_plan.h"

namespace tessera {
namespace {

class EdgeColoring {
 public:
  EdgeColoring(std::span<const PairBytes> pairs, Index places, Index colors)
      : pairs_(pairs),
        colors_(static_cast<std::size_t>(colors)),
        senders_(static_cast<std::size_t>(places) * colors_, -1),
        receivers_(senders_) {}

  std::vector<Index> run() {
    std::vector<std::size_t> order(pairs_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t e) { return pairs_[e].bytes; });
    color_.assign(pairs_.size(), -1);
    for (const std::size_t edge : order) add(edge);
    return color_;
  }

 private:
  std::ptrdiff_t& at_sender(Index place, Index color) {
    return senders_[static_cast<std::size_t>(place) * colors_ + static_cast<std::size_t>(color)];
  }
  std::ptrdiff_t& at_receiver(Index place, Index color) {
    return receivers_[static_cast<std::size_t>(place) * colors_ + static_cast<std::size_t>(color)];
  }
  static Index free_color(std::span<const std::ptrdiff_t> edges) {
    return std::ranges::find(edges, std::ptrdiff_t{-1}) - edges.begin();
  }

  // Gives the edge a color that is free at the sender. If the receiver already uses it, first exchanges two
  // colors along the path that starts there.
  void add(std::size_t edge) {
    const Index from = pairs_[edge].from;
    const Index to = pairs_[edge].to;
    const Index a =
        free_color(std::span(senders_).subspan(static_cast<std::size_t>(from) * colors_, colors_));
    const Index b =
        free_color(std::span(receivers_).subspan(static_cast<std::size_t>(to) * colors_, colors_));
    if (at_receiver(to, a) != -1) exchange(to, a, b);
    set(edge, a);
  }

  // The path alternates between colors a and b. It cannot reach the sender, at which a is free.
  void exchange(Index receiver, Index a, Index b) {
    std::vector<std::size_t> path;
    std::ptrdiff_t edge = at_receiver(receiver, a);
    for (bool to_sender = true; edge != -1; to_sender = !to_sender) {
      const auto e = static_cast<std::size_t>(edge);
      path.push_back(e);
      edge = to_sender ? at_sender(pairs_[e].from, b) : at_receiver(pairs_[e].to, a);
    }
    for (const std::size_t e : path) {
      at_sender(pairs_[e].from, color_[e]) = -1;
      at_receiver(pairs_[e].to, color_[e]) = -1;
    }
    for (const std::size_t e : path) set(e, color_[e] == a ? b : a);
  }

  void set(std::size_t edge, Index color) {
    color_[edge] = color;
    at_sender(pairs_[edge].from, color) = static_cast<std::ptrdiff_t>(edge);
    at_receiver(pairs_[edge].to, color) = static_cast<std::ptrdiff_t>(edge);
  }

  std::span<const PairBytes> pairs_;
  std::size_t colors_;
  std::vector<std::ptrdiff_t> senders_;  // the edge of each place and color, or -1
  std::vector<std::ptrdiff_t> receivers_;
  std::vector<Index> color_;
};

}  // namespace

ReshardRounds rounds(const ReshardPlan& plan) {
  std::vector<Index> sends(static_cast<std::size_t>(plan.places()), 0);
  std::vector<Index> receives(sends);
  ReshardRounds out;
  for (const PairBytes& pair : plan.pairs()) {
    out.rounds = std::max({out.rounds, ++sends[static_cast<std::size_t>(pair.from)],
                           ++receives[static_cast<std::size_t>(pair.to)]});
  }
  out.of_pair = EdgeColoring(plan.pairs(), plan.places(), out.rounds).run();
  return out;
}

}  // namespace tessera
