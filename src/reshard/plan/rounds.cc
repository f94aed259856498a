// SPDX-License-Identifier: Apache-2.0
// Rounds: an edge coloring of a bipartite graph with as many colors as the largest degree.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>

#include "tessera/reshard/reshard_plan.h"

namespace tessera {
namespace {

// The colors that each place does not use yet, as bits.
class FreeColors {
 public:
  FreeColors(Index places, Index colors)
      : words_(static_cast<std::size_t>(ceil_div(colors, 64))),
        bits_(static_cast<std::size_t>(places) * words_, ~std::uint64_t{0}) {}

  std::span<std::uint64_t> of(Index place) {
    return std::span(bits_).subspan(static_cast<std::size_t>(place) * words_, words_);
  }
  void set(Index place, Index color, bool is_free) {
    std::uint64_t& word = of(place)[static_cast<std::size_t>(color / 64)];
    const std::uint64_t bit = std::uint64_t{1} << (color % 64);
    word = is_free ? word | bit : word & ~bit;
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

// The first bit set in both; -1 if there is none.
Index first_common(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  for (std::size_t w = 0; w < a.size(); ++w) {
    if ((a[w] & b[w]) != 0) return static_cast<Index>(w * 64) + std::countr_zero(a[w] & b[w]);
  }
  return -1;
}

class EdgeColoring {
 public:
  EdgeColoring(std::span<const PairBytes> pairs, Index places, Index colors)
      : pairs_(pairs),
        colors_(static_cast<std::size_t>(colors)),
        senders_(static_cast<std::size_t>(places) * colors_, -1),
        receivers_(senders_),
        free_at_sender_(places, colors),
        free_at_receiver_(places, colors) {}

  std::vector<Index> run() {
    std::vector<std::size_t> order(pairs_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t e) { return pairs_[e].bytes; });
    color_.assign(pairs_.size(), -1);
    for (const std::size_t edge : order) add(edge);
    return color_;
  }

 private:
  std::int32_t& at_sender(Index place, Index color) {
    return senders_[static_cast<std::size_t>(place) * colors_ + static_cast<std::size_t>(color)];
  }
  std::int32_t& at_receiver(Index place, Index color) {
    return receivers_[static_cast<std::size_t>(place) * colors_ + static_cast<std::size_t>(color)];
  }

  // Gives the edge the first color that is free at both ends. If there is none, exchanges two colors along
  // the path that starts at the receiver, so that the sender's color becomes free there.
  void add(std::size_t edge) {
    const Index from = pairs_[edge].from;
    const Index to = pairs_[edge].to;
    const auto at_from = free_at_sender_.of(from);
    const auto at_to = free_at_receiver_.of(to);
    Index color = first_common(at_from, at_to);
    if (color < 0 || color >= static_cast<Index>(colors_)) {
      color = first_common(at_from, at_from);
      exchange(to, color, first_common(at_to, at_to));
    }
    set(edge, color);
  }

  // The path alternates between colors a and b. It cannot reach the sender, at which a is free.
  void exchange(Index receiver, Index a, Index b) {
    path_.clear();
    std::int32_t edge = at_receiver(receiver, a);
    for (bool to_sender = true; edge != -1; to_sender = !to_sender) {
      const auto e = static_cast<std::size_t>(edge);
      path_.push_back(e);
      edge = to_sender ? at_sender(pairs_[e].from, b) : at_receiver(pairs_[e].to, a);
    }
    for (const std::size_t e : path_) {
      at_sender(pairs_[e].from, color_[e]) = -1;
      at_receiver(pairs_[e].to, color_[e]) = -1;
      free_at_sender_.set(pairs_[e].from, color_[e], true);
      free_at_receiver_.set(pairs_[e].to, color_[e], true);
    }
    for (const std::size_t e : path_) set(e, color_[e] == a ? b : a);
  }

  void set(std::size_t edge, Index color) {
    const PairBytes& pair = pairs_[edge];
    color_[edge] = color;
    at_sender(pair.from, color) = static_cast<std::int32_t>(edge);
    at_receiver(pair.to, color) = static_cast<std::int32_t>(edge);
    free_at_sender_.set(pair.from, color, false);
    free_at_receiver_.set(pair.to, color, false);
  }

  std::span<const PairBytes> pairs_;
  std::size_t colors_;
  std::vector<std::int32_t> senders_;  // the edge of each place and color, or -1
  std::vector<std::int32_t> receivers_;
  FreeColors free_at_sender_;
  FreeColors free_at_receiver_;
  std::vector<Index> color_;
  std::vector<std::size_t> path_;
};

}  // namespace

Index round_count(const ReshardPlan& plan) {
  std::vector<Index> sends(static_cast<std::size_t>(plan.places()), 0);
  std::vector<Index> receives(sends);
  Index most = 0;
  for (const PairBytes& pair : plan.pairs()) {
    most = std::max(
        {most, ++sends[static_cast<std::size_t>(pair.from)], ++receives[static_cast<std::size_t>(pair.to)]});
  }
  return most;
}

ReshardRounds rounds(const ReshardPlan& plan) {
  ReshardRounds out{round_count(plan), {}};
  out.of_pair = EdgeColoring(plan.pairs(), plan.places(), out.rounds).run();
  return out;
}

}  // namespace tessera
