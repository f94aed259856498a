// SPDX-License-Identifier: Apache-2.0
#include "reshard/collectives/collective_search.h"

#include <algorithm>
#include <map>
#include <queue>
#include <set>
#include <tuple>

#include "base/cancellation.h"
#include "reshard/limits.h"

namespace tessera::detail {
namespace {

using Kind = CollectiveStep::Kind;

Index parts_of(std::span<const PlaceDigit> digits) {
  Index product = 1;
  for (const PlaceDigit& digit : digits) product *= digit.size();
  return product;
}

// Whether a number has one prime factor.
bool is_prime_power(Index n) {
  Index prime = 2;
  while (n % prime != 0 && prime * prime <= n) ++prime;
  if (n % prime != 0) return true;
  while (n % prime == 0) n /= prime;
  return n == 1;
}

class CollectiveSearch {
 public:
  explicit CollectiveSearch(const CollectiveTask& task) : task_(task) {
    bits_ = task.element_bits;
    for (const Index extent : task.shape) bits_ *= extent;
    for (Index n = 2; n <= task.places; ++n) {
      if (task.places % n == 0) divisors_.push_back(n);
    }
    halves_change_ = is_prime_power(task.places);
  }

  CollectiveChain run() {
    const Cost start{0, 0};
    best_[task_.from] = {start, {}, {}};
    push(task_.from, start, false);
    std::set<CutDigits> done;
    while (!queue_.empty() && done.size() < kReshardLimits.collective_states &&
           work_ <= kReshardLimits.collective_work && !detail::cancelled()) {
      const bool permutes = std::get<2>(queue_.top());
      at_ = std::get<3>(queue_.top());
      queue_.pop();
      cost_ = best_.at(at_).cost;
      if (permutes) {
        permute();
        continue;
      }
      if (!done.insert(at_).second) continue;
      if (at_ == task_.to) return chain_to_target(true);
      expand();
      push_permutes();
    }
    const CollectiveChain chain = gather_and_slice();
    const auto found = best_.find(task_.to);
    if (found == best_.end() || found->second.cost.first >= chain.total) return chain;
    return chain_to_target(false);
  }

 private:
  using Cost = std::pair<Index, Index>;  // bytes, steps
  // A step whose digits have no names yet.
  struct DigitStep {
    CollectiveStep step;
    std::vector<PlaceDigit> over;
  };
  struct BestPath {
    Cost cost;
    CutDigits before;
    DigitStep last;
  };

  // The number of bits of a shard.
  Index local_bits(const CutDigits& state) const {
    Index bits = bits_;
    for (const auto& dim : state) bits /= parts_of(dim);
    return bits;
  }
  bool divides(const CutDigits& state, std::size_t dim) const {
    return task_.shape[dim] % parts_of(state[dim]) == 0;
  }

  // The bytes that the places still lack. No chain to the target receives fewer.
  Index missing(const CutDigits& state) {
    const Index target_bits = local_bits(task_.to);
    Index bytes = 0;
    work_ += task_.places;
    for (Index place = 0; place < task_.places; ++place) {
      Index common = task_.element_bits;
      for (std::size_t d = 0; d < state.size(); ++d) {
        const Index here = task_.shape[d] / parts_of(state[d]);
        const Index there = task_.shape[d] / parts_of(task_.to[d]);
        const Index begin = here * part_of_place(state[d], place);
        const Index wanted = there * part_of_place(task_.to[d], place);
        common *= std::max<Index>(0, std::min(begin + here, wanted + there) - std::max(begin, wanted));
      }
      bytes += ceil_div(target_bits - common, 8);
    }
    return bytes;
  }

  void push(const CutDigits& state, Cost cost, bool permutes) {
    const auto [found, is_new] = missing_.try_emplace(state, 0);
    if (is_new) found->second = missing(state);
    Index least = found->second;
    // A place that takes part in a permutation receives a shard, and at least two places do. If the digits
    // have one prime factor, half of the places do: a digit and the one that replaces it are equal on at most
    // half.
    if (permutes)
      least =
          std::max(least, ceil_div(local_bits(state), 8) * (halves_change_ ? ceil_div(task_.places, 2) : 2));
    queue_.emplace(cost.first + least, cost.second + (permutes ? 1 : 0), permutes, state);
  }

  void reach(CutDigits state, DigitStep last) {
    const Cost cost{cost_.first + last.step.bytes * last.step.places, cost_.second + 1};
    const auto found = best_.find(state);
    if (found != best_.end() && found->second.cost <= cost) return;
    best_[state] = {cost, at_, std::move(last)};
    push(state, cost, false);
  }

  // For each way to split off the last positions of dimension d: visit(what is left, the digits split off).
  template <class Visit>
  void for_each_suffix(std::size_t d, Visit&& visit) const {
    std::vector<PlaceDigit> left = at_[d];
    std::vector<PlaceDigit> moved;
    while (!left.empty()) {
      const PlaceDigit last = left.back();
      left.pop_back();
      for (const Index size : divisors_) {
        if (last.size() % size != 0) continue;
        std::vector<PlaceDigit> rest = left;
        if (size < last.size()) rest.push_back({last.low * size, last.high});
        std::vector<PlaceDigit> suffix = moved;
        suffix.insert(suffix.begin(), {last.low, last.low * size});
        visit(std::move(rest), suffix);
      }
      moved.insert(moved.begin(), last);
    }
  }

  // Digits that no dimension of `state` uses and that fit between those in use, whose size divides `most`
  // (if it is not 0).
  std::vector<PlaceDigit> free_digits(const CutDigits& state, Index most = 0) const {
    std::vector<PlaceDigit> used = {{1, 1}, {task_.places, task_.places}};
    for (const auto& dim : state) used.insert(used.end(), dim.begin(), dim.end());
    std::ranges::sort(used);
    std::vector<PlaceDigit> out;
    for (std::size_t k = 0; k + 1 < used.size(); ++k) {
      const Index gap = used[k + 1].low / used[k].high;
      const auto add = [&](Index outside) {
        for (const Index size : divisors_) {
          if (gap / outside % size != 0 || (most > 0 && most % size != 0)) continue;
          out.push_back({used[k].high * outside, used[k].high * outside * size});
        }
      };
      if (gap > 1) add(1);
      for (const Index outside : divisors_) {
        if (gap % outside == 0) add(outside);
      }
    }
    return out;
  }

  void expand() {
    const Index local = local_bits(at_);
    for (std::size_t d = 0; d < at_.size(); ++d) {
      for_each_suffix(d, [&](std::vector<PlaceDigit> rest, const std::vector<PlaceDigit>& suffix) {
        const Index parts = parts_of(suffix);
        CutDigits gathered = at_;
        gathered[d] = rest;
        reach(std::move(gathered), gather(suffix, d, local));
        for (std::size_t other = 0; other < at_.size(); ++other) {
          if (other == d) continue;
          CutDigits next = at_;
          next[d] = rest;
          for (const PlaceDigit& digit : suffix) append_digit(next[other], digit);
          if (!divides(next, other)) continue;
          const Index bytes = ceil_div(local - local / parts, 8);
          reach(std::move(next), {{Kind::all_to_all, "", d, other, bytes, task_.places}, suffix});
        }
      });
    }
    for (const PlaceDigit& digit : free_digits(at_)) {
      for (std::size_t d = 0; d < at_.size(); ++d) {
        CutDigits sliced = at_;
        append_digit(sliced[d], digit);
        if (divides(sliced, d)) reach(std::move(sliced), slice(digit, d));
      }
    }
  }

  DigitStep gather(const std::vector<PlaceDigit>& digits, std::size_t dim, Index local) const {
    const Index bytes = ceil_div((parts_of(digits) - 1) * local, 8);
    return {{Kind::all_gather, "", dim, dim, bytes, task_.places}, digits};
  }
  DigitStep slice(const PlaceDigit& digit, std::size_t dim) const {
    return {{Kind::slice, "", dim, dim, 0, task_.places}, {digit}};
  }
  CollectiveStep named(const DigitStep& step) const {
    CollectiveStep out = step.step;
    if (!step.over.empty()) out.over = task_.name(step.over);
    return out;
  }

  // Permutations are many, so they wait until the queue reaches the least that any of them can cost. A
  // permutation after another one is never cheaper than a single one.
  void push_permutes() {
    const BestPath& reached = best_.at(at_);
    if (reached.cost.second > 0 && reached.last.step.kind == Kind::permute) return;
    if (std::ranges::any_of(at_, [](const auto& dim) { return !dim.empty(); })) push(at_, cost_, true);
  }

  // If all shards keep their shape, places may exchange whole shards.
  void permute() {
    bool same_shape = true;
    for (std::size_t d = 0; d < at_.size(); ++d)
      same_shape = same_shape && parts_of(at_[d]) == parts_of(task_.to[d]);
    if (same_shape && at_ != task_.to) permute_to(task_.to);
    CutDigits made(at_.size());
    arrange(made, 0, parts_of(at_[0]));
  }

  void permute_to(const CutDigits& state) {
    Index changed = 0;
    work_ += task_.places;
    for (Index place = 0; place < task_.places; ++place) {
      for (std::size_t d = 0; d < at_.size(); ++d) {
        if (part_of_place(at_[d], place) == part_of_place(state[d], place)) continue;
        ++changed;
        break;
      }
    }
    reach(state, {{Kind::permute, "", 0, 0, ceil_div(local_bits(at_), 8), changed}, {}});
  }

  // Appends digits to dimension d until it has `rest` times as many parts, then goes on with the next one.
  void arrange(CutDigits& made, std::size_t d, Index rest) {
    if (++work_ > kReshardLimits.collective_work) return;
    if (rest == 1) {
      if (d + 1 < at_.size()) return arrange(made, d + 1, parts_of(at_[d + 1]));
      if (made != at_) permute_to(made);
      return;
    }
    for (const PlaceDigit& digit : free_digits(made, rest)) {
      // A digit that continues the one before is part of a larger digit, which is tried on its own.
      if (!made[d].empty() && made[d].back().low == digit.high) continue;
      made[d].push_back(digit);
      arrange(made, d, rest / digit.size());
      made[d].pop_back();
    }
  }

  CollectiveChain chain_to_target(bool complete) const {
    CollectiveChain chain{
        {}, best_.at(task_.to).cost.first, complete && work_ <= kReshardLimits.collective_work};
    for (CutDigits state = task_.to; best_.at(state).cost.second > 0;) {
      const BestPath& reached = best_.at(state);
      chain.steps.push_back(named(reached.last));
      state = reached.before;
    }
    std::ranges::reverse(chain.steps);
    return chain;
  }

  // The chain that always exists, for searches that reach their limit.
  CollectiveChain gather_and_slice() const {
    CollectiveChain chain{{}, 0, false};
    CutDigits state = task_.from;
    for (std::size_t d = 0; d < state.size(); ++d) {
      if (state[d].empty()) continue;
      chain.steps.push_back(named(gather(state[d], d, local_bits(state))));
      chain.total += chain.steps.back().bytes * task_.places;
      state[d].clear();
    }
    for (std::size_t d = 0; d < task_.to.size(); ++d) {
      for (const PlaceDigit& digit : task_.to[d]) chain.steps.push_back(named(slice(digit, d)));
    }
    return chain;
  }

  const CollectiveTask& task_;
  Index bits_ = 0;
  std::vector<Index> divisors_;  // of the number of places, except 1
  bool halves_change_ = false;
  CutDigits at_;
  Cost cost_;
  std::map<CutDigits, BestPath> best_;
  std::map<CutDigits, Index> missing_;
  Index work_ = 0;
  // Bytes at least, steps, whether permutations of the state come next, the state.
  using QueueEntry = std::tuple<Index, Index, bool, CutDigits>;
  std::priority_queue<QueueEntry, std::vector<QueueEntry>, std::greater<>> queue_;
};

}  // namespace

void append_digit(std::vector<PlaceDigit>& digits, PlaceDigit digit) {
  if (digit.size() == 1) return;
  if (!digits.empty() && digits.back().low == digit.high) {
    digits.back().low = digit.low;
  } else {
    digits.push_back(digit);
  }
}

Index part_of_place(std::span<const PlaceDigit> digits, Index place) {
  Index part = 0;
  for (const PlaceDigit& digit : digits) part = part * digit.size() + place / digit.low % digit.size();
  return part;
}

CollectiveChain search_collectives(const CollectiveTask& task) { return CollectiveSearch(task).run(); }

}  // namespace tessera::detail
