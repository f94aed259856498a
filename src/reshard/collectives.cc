// SPDX-License-Identifier: Apache-2.0
#include "reshard/collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <tuple>

namespace tessera {
namespace {

constexpr std::size_t kMostStates = 20'000;
// The most work for permutations: places compared, and ways to arrange digits.
constexpr Index kMostPermuteWork = Index{1} << 23;

// A mesh axis as a digit of the place number: place / stride mod size.
struct PlaceDigit {
  Index stride = 1;
  Index size = 1;
  std::string name = {};
  bool named = false;  // after a mesh axis
};

// The name of a digit without a mesh axis.
std::string apart(Index stride) { return fmt::format("places {} apart", stride); }

// One side, with each dimension cut by axes whose coordinates are digits of the place number.
struct DigitSide {
  std::vector<PlaceDigit> axes;
  std::vector<std::vector<std::size_t>> dims;  // axes that cut each dimension, the major one first
};

std::optional<DigitSide> digit_side(const BoundDistribution& bound) {
  const Distribution& distribution = bound.distribution();
  DigitSide side;
  side.dims.resize(bound.shape().size());
  if (distribution.everywhere) {
    side.axes.push_back({1, bound.places()});
    return side;
  }
  if (!distribution.on.empty() || std::ssize(distribution.mesh.places) != bound.places()) return {};
  const auto& places = distribution.mesh.places;
  if (places[0] != 0) return {};
  std::size_t block = places.size();
  for (const MeshAxis& axis : distribution.mesh.axes) {
    block /= static_cast<std::size_t>(axis.size);
    const bool named = distribution.notation != DistributionNotation::xla;
    side.axes.push_back({axis.size > 1 ? places[block] : 1, axis.size, named ? axis.name : "", named});
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    Index place = 0;
    std::size_t rest = i;
    for (std::size_t a = side.axes.size(); a-- > 0;) {
      place += static_cast<Index>(rest) % side.axes[a].size * side.axes[a].stride;
      rest /= static_cast<std::size_t>(side.axes[a].size);
    }
    if (place != places[i]) return {};
  }
  std::vector<DimCut> cuts = distribution.cuts;
  std::ranges::stable_sort(cuts, {}, [](const DimCut& cut) { return cut.order.value_or(0); });
  for (const DimCut& cut : cuts) {
    if (cut.rule != CutRule::ceil) return {};
    const Index dim = cut.dim < 0 ? cut.dim + std::ssize(side.dims) : cut.dim;
    auto& axes = side.dims[static_cast<std::size_t>(dim)];
    axes.insert(axes.end(), cut.axes.begin(), cut.axes.end());
  }
  // Requires that all parts of a dimension have the same length.
  for (std::size_t d = 0; d < side.dims.size(); ++d) {
    for (const DimPart& part : bound.parts(d)) {
      if (part.extent != bound.parts(d)[0].extent || part.extent == 0) return {};
    }
  }
  return side;
}

// How the array is cut: for each dimension, the numbers of its digits, the major one first.
using CutState = std::vector<std::vector<std::uint8_t>>;

class CollectiveSearch {
 public:
  CollectiveSearch(const ReshardArray& array, std::vector<PlaceDigit> digits)
      : shape_(array.from.shape()), places_(array.from.places()), digits_(std::move(digits)) {
    bits_ = array.element_bits;
    for (const Index extent : shape_) bits_ *= extent;
  }

  CollectiveChain run(const CutState& from, const CutState& to) {
    best_[from] = {{0, 0}, {}, {}};
    queue_.emplace(0, 0, false, from);
    std::set<CutState> done;
    while (!queue_.empty() && done.size() < kMostStates) {
      const auto [total, steps, permutes, state] = queue_.top();
      queue_.pop();
      at_ = state;
      cost_ = best_.at(state).cost;
      if (permutes) {
        permute(to);
        continue;
      }
      if (!done.insert(state).second) continue;
      if (state == to) return chain_to(to);
      expand();
      push_permutes();
    }
    CollectiveChain chain = gather_and_slice(from, to);
    const auto found = best_.find(to);
    if (found == best_.end() || found->second.cost.first >= chain.total) return chain;
    chain = chain_to(to);
    chain.cheapest = false;
    return chain;
  }

 private:
  struct BestPath {
    std::pair<Index, Index> cost;  // bytes, steps
    CutState before;
    CollectiveStep step;
  };

  Index parts(const std::vector<std::uint8_t>& dim) const {
    Index product = 1;
    for (const std::uint8_t digit : dim) product *= digits_[digit].size;
    return product;
  }
  // The number of bytes of a shard.
  Index local_bytes(const CutState& state) const {
    Index bits = bits_;
    for (const auto& dim : state) bits /= parts(dim);
    return ceil_div(bits, 8);
  }
  bool divides(const CutState& state, std::size_t dim) const { return shape_[dim] % parts(state[dim]) == 0; }

  void reach(CutState state, CollectiveStep step) {
    const std::pair<Index, Index> cost{cost_.first + step.bytes * step.places, cost_.second + 1};
    const auto found = best_.find(state);
    if (found != best_.end() && found->second.cost <= cost) return;
    best_[state] = {cost, at_, std::move(step)};
    queue_.emplace(cost.first, cost.second, false, std::move(state));
  }

  // The mesh axes, or the distance of the places, of digits that move together.
  std::string name_of(std::span<const std::uint8_t> moved) const {
    bool one_digit = true;
    bool named = true;
    for (std::size_t i = 0; i < moved.size(); ++i) {
      named = named && digits_[moved[i]].named;
      if (i == 0) continue;
      const PlaceDigit& minor = digits_[moved[i]];
      one_digit = one_digit && digits_[moved[i - 1]].stride == minor.stride * minor.size;
    }
    if (!named && one_digit) return apart(digits_[moved.back()].stride);
    std::string name;
    for (const std::uint8_t digit : moved) {
      if (!name.empty()) name += named ? "*" : " and ";
      name += digits_[digit].name;
    }
    return name;
  }

  CollectiveStep gather(const CutState& state, std::size_t dim) const {
    const PlaceDigit& digit = digits_[state[dim].back()];
    return {CollectiveStep::Kind::all_gather,      digit.name, dim, dim,
            (digit.size - 1) * local_bytes(state), places_};
  }
  CollectiveStep slice(std::uint8_t digit, std::size_t dim) const {
    return {CollectiveStep::Kind::slice, digits_[digit].name, dim, dim, 0, places_};
  }

  void expand() {
    std::vector<bool> used(digits_.size(), false);
    for (const auto& dim : at_) {
      for (const std::uint8_t digit : dim) used[digit] = true;
    }
    for (std::size_t d = 0; d < at_.size(); ++d) {
      if (!at_[d].empty()) {
        CutState gathered = at_;
        gathered[d].pop_back();
        reach(std::move(gathered), gather(at_, d));
      }
      for (std::size_t count = 1; count <= at_[d].size(); ++count) move_last(d, count);
      for (std::size_t k = 0; k < digits_.size(); ++k) {
        if (used[k]) continue;
        CutState sliced = at_;
        sliced[d].push_back(static_cast<std::uint8_t>(k));
        if (divides(sliced, d)) reach(std::move(sliced), slice(static_cast<std::uint8_t>(k), d));
      }
    }
  }

  // Moves the last `count` digits of a dimension to the end of another one.
  void move_last(std::size_t d, std::size_t count) {
    const std::span<const std::uint8_t> moved = std::span(at_[d]).last(count);
    Index parts = 1;
    for (const std::uint8_t digit : moved) parts *= digits_[digit].size;
    const Index local = local_bytes(at_);
    for (std::size_t other = 0; other < at_.size(); ++other) {
      if (other == d) continue;
      CutState next = at_;
      next[d].resize(at_[d].size() - count);
      next[other].insert(next[other].end(), moved.begin(), moved.end());
      if (!divides(next, other)) continue;
      reach(std::move(next),
            {CollectiveStep::Kind::all_to_all, name_of(moved), d, other, local - local / parts, places_});
    }
  }

  // Permutations are many, so they wait until the queue reaches the least that any of them can cost: at least
  // half of the places change, because a digit and the one that replaces it are equal on at most half of the
  // places. A permutation after another one is never cheaper than a single one.
  void push_permutes() {
    const BestPath& reached = best_.at(at_);
    if (reached.cost.second > 0 && reached.step.kind == CollectiveStep::Kind::permute) return;
    queue_.emplace(cost_.first + local_bytes(at_) * ceil_div(places_, 2), cost_.second + 1, true, at_);
  }

  // If all shards keep their shape, places may exchange whole shards.
  void permute(const CutState& target) {
    bool same_shape = true;
    for (std::size_t d = 0; d < at_.size(); ++d) same_shape = same_shape && parts(at_[d]) == parts(target[d]);
    if (same_shape && at_ != target) permute_to(target);
    CutState made(at_.size());
    std::vector<bool> used(digits_.size(), false);
    arrange(made, 0, parts(at_[0]), used);
  }

  void permute_to(const CutState& state) {
    permute_work_ += places_;
    reach(state, {CollectiveStep::Kind::permute, "", 0, 0, local_bytes(at_), changed_places(state)});
  }

  // Appends digits to dimension d until it has `rest` times as many parts, then goes on with the next one.
  void arrange(CutState& made, std::size_t d, Index rest, std::vector<bool>& used) {
    if (++permute_work_ > kMostPermuteWork) return;
    if (rest == 1) {
      if (d + 1 < at_.size()) return arrange(made, d + 1, parts(at_[d + 1]), used);
      if (made != at_) permute_to(made);
      return;
    }
    for (std::size_t k = 0; k < digits_.size(); ++k) {
      if (used[k] || rest % digits_[k].size != 0) continue;
      used[k] = true;
      made[d].push_back(static_cast<std::uint8_t>(k));
      arrange(made, d, rest / digits_[k].size, used);
      made[d].pop_back();
      used[k] = false;
    }
  }

  Index changed_places(const CutState& target) const {
    Index changed = 0;
    for (Index place = 0; place < places_; ++place) {
      const auto part = [&](const std::vector<std::uint8_t>& dim) {
        Index number = 0;
        for (const std::uint8_t digit : dim) {
          number = number * digits_[digit].size + place / digits_[digit].stride % digits_[digit].size;
        }
        return number;
      };
      for (std::size_t d = 0; d < at_.size(); ++d) {
        if (part(at_[d]) == part(target[d])) continue;
        ++changed;
        break;
      }
    }
    return changed;
  }

  CollectiveChain chain_to(const CutState& to) const {
    CollectiveChain chain{{}, best_.at(to).cost.first, permute_work_ <= kMostPermuteWork};
    for (CutState state = to; best_.at(state).cost.second > 0;) {
      const BestPath& reached = best_.at(state);
      chain.steps.push_back(reached.step);
      state = reached.before;
    }
    std::ranges::reverse(chain.steps);
    return chain;
  }

  // The chain that always exists, for searches that reach their limit.
  CollectiveChain gather_and_slice(CutState state, const CutState& to) const {
    CollectiveChain chain{{}, 0, false};
    for (std::size_t d = 0; d < state.size(); ++d) {
      for (; !state[d].empty(); state[d].pop_back()) {
        chain.steps.push_back(gather(state, d));
        chain.total += chain.steps.back().bytes * places_;
      }
    }
    for (std::size_t d = 0; d < to.size(); ++d) {
      for (const std::uint8_t digit : to[d]) chain.steps.push_back(slice(digit, d));
    }
    return chain;
  }

  std::span<const Index> shape_;
  Index places_;
  Index bits_ = 0;
  std::vector<PlaceDigit> digits_;
  CutState at_;
  std::pair<Index, Index> cost_;
  std::map<CutState, BestPath> best_;
  Index permute_work_ = 0;
  // Bytes, steps, whether permutations of the state come next, the state.
  using QueueEntry = std::tuple<Index, Index, bool, CutState>;
  std::priority_queue<QueueEntry, std::vector<QueueEntry>, std::greater<>> queue_;
};

// The digits that make up the axes of both sides. Empty if the boundaries between their axes do not divide
// each other.
std::optional<std::vector<PlaceDigit>> common_digits(const DigitSide& a, const DigitSide& b, Index places) {
  std::set<Index> borders = {1, places};
  for (const DigitSide* side : {&a, &b}) {
    for (const PlaceDigit& axis : side->axes) {
      if (axis.size == 1) continue;
      borders.insert(axis.stride);
      borders.insert(axis.stride * axis.size);
    }
  }
  std::vector<PlaceDigit> out;
  for (auto at = borders.begin(); std::next(at) != borders.end(); ++at) {
    const Index next = *std::next(at);
    if (next % *at != 0) return {};
    PlaceDigit digit{*at, next / *at, apart(*at), false};
    for (const DigitSide* side : {&b, &a}) {
      for (const PlaceDigit& axis : side->axes) {
        if (axis.stride != digit.stride || axis.size != digit.size || axis.name.empty()) continue;
        digit.name = axis.name;
        digit.named = true;
      }
    }
    out.push_back(std::move(digit));
  }
  return out;
}

CutState state_of(const DigitSide& side, const std::vector<PlaceDigit>& digits) {
  CutState state(side.dims.size());
  for (std::size_t d = 0; d < side.dims.size(); ++d) {
    for (const std::size_t a : side.dims[d]) {
      const PlaceDigit& axis = side.axes[a];
      for (std::size_t k = digits.size(); k-- > 0;) {
        if (digits[k].stride >= axis.stride && digits[k].stride < axis.stride * axis.size) {
          state[d].push_back(static_cast<std::uint8_t>(k));
        }
      }
    }
  }
  return state;
}

}  // namespace

std::string_view to_string(CollectiveStep::Kind kind) {
  switch (kind) {
    case CollectiveStep::Kind::all_gather:
      return "all-gather";
    case CollectiveStep::Kind::slice:
      return "slice";
    case CollectiveStep::Kind::all_to_all:
      return "all-to-all";
    case CollectiveStep::Kind::permute:
      break;
  }
  return "permute";
}

std::optional<CollectiveChain> cheapest_collectives(const ReshardArray& array) {
  if (!std::ranges::equal(array.from.shape(), array.to.shape())) return {};
  const auto from = digit_side(array.from);
  const auto to = digit_side(array.to);
  if (!from || !to) return {};
  auto digits = common_digits(*from, *to, array.from.places());
  if (!digits || digits->size() > 64) return {};
  const CutState start = state_of(*from, *digits);
  const CutState end = state_of(*to, *digits);
  return CollectiveSearch(array, std::move(*digits)).run(start, end);
}

}  // namespace tessera
