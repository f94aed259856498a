// SPDX-License-Identifier: Apache-2.0
// The elements that move between places that hold both sides of a match. Places depend on few groups of axes.
// The values of each group are counted by the parts that they select, and the counts of all groups are
// multiplied.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "base/index_walk.h"
#include "reshard/limits.h"
#include "reshard/pieces/pieces.h"

namespace tessera {
namespace {

// The values that the axes of one side select: the place, a sum over axes; or, in a distribution, the part of
// each dimension.
struct Selector {
  const PieceMap* map = nullptr;
  const BoundDistribution* on = nullptr;
  std::vector<std::vector<std::size_t>> part_of;  // the part of each index of each dimension

  std::size_t numbers() const { return on != nullptr ? map->index.size() : 1; }
  const AxisSum& sum(std::size_t k) const { return on != nullptr ? map->index[k] : map->place; }
};

Selector selector_of(const PieceTensor& tensor, const PieceMap& map) {
  Selector out{&map, tensor.on ? &*tensor.on : nullptr, {}};
  if (!tensor.on) return out;
  for (std::size_t d = 0; d < map.index.size(); ++d) {
    std::vector<std::size_t> part(static_cast<std::size_t>(tensor.on->shape()[d]));
    const auto parts = tensor.on->parts(d);
    for (std::size_t p = 0; p < parts.size(); ++p) {
      for (const IndexRun& run : parts[p].runs) {
        for (Index k = 0; k < run.count; ++k) {
          const auto begin = part.begin() + static_cast<std::ptrdiff_t>(run.lower + k * run.step);
          std::fill(begin, begin + static_cast<std::ptrdiff_t>(run.length), p);
        }
      }
    }
    out.part_of.push_back(std::move(part));
  }
  return out;
}

// Axes that must be enumerated together, by their number in the piece.
class AxisGroups {
 public:
  explicit AxisGroups(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  std::size_t find(std::size_t a) {
    while (parent_[a] != a) a = parent_[a] = parent_[parent_[a]];
    return a;
  }
  void join(std::size_t a, std::size_t b) { parent_[find(a)] = find(b); }

 private:
  std::vector<std::size_t> parent_;
};

// Numbers of elements, keyed by the selected values: for each dimension its part, for a place the sum of its
// terms.
using Selections = std::map<std::vector<Index>, Index>;

class TrafficOfPiece {
 public:
  TrafficOfPiece(const MatchedPiece& piece, const PieceTensor& from, const PieceTensor& to)
      : piece_(piece), from_(selector_of(from, piece.from)), to_(selector_of(to, piece.to)) {}

  Result<Selections> run() {
    for (const Selector* side : {&from_, &to_}) {
      if (side->on == nullptr) continue;
      for (const AxisSum& sum : side->map->index) {
        for (const auto& [axis, scale] : sum.terms) {
          if (number(side->map->axes[axis].name) == piece_.axes.size()) {
            return fail(Code::limit,
                        fmt::format("copies of piece '{}' inside a distributed tensor are not supported",
                                    piece_.name));
          }
        }
      }
    }
    AxisGroups groups(piece_.axes.size());
    for (const Selector* side : {&from_, &to_}) {
      for (std::size_t k = 0; k < side->numbers(); ++k) {
        // The sums of places are additive over axes. But a part depends on all axes of its dimension
        // together.
        if (side->on != nullptr && side->on->parts(k).size() > 1)
          join_terms(groups, *side->map, side->sum(k));
      }
      for (const PieceMap::Crop& crop : side->map->crops) join_terms(groups, *side->map, crop.value);
    }
    // A dimension without axes selects the same part for all elements.
    std::vector<Index> selected;
    for (const Selector* side : {&from_, &to_}) {
      for (std::size_t k = 0; k < side->numbers(); ++k) {
        const bool fixed = side->on != nullptr && side->sum(k).terms.empty();
        selected.push_back(
            fixed ? static_cast<Index>(side->part_of[k][static_cast<std::size_t>(side->sum(k).constant)])
                  : 0);
      }
    }
    Selections all = {{std::move(selected), 1}};
    for (std::size_t a = 0; a < piece_.axes.size(); ++a) {
      if (groups.find(a) != a) continue;
      std::vector<std::size_t> members;
      for (std::size_t b = 0; b < piece_.axes.size(); ++b) {
        if (groups.find(b) == a) members.push_back(b);
      }
      auto own = selections(members);
      if (!own) return own;
      Selections product;
      for (const auto& [x, count] : all) {
        for (const auto& [y, more] : *own) {
          std::vector<Index> sum = x;
          for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += y[k];
          product[std::move(sum)] += count * more;
          if (product.size() > detail::kReshardLimits.selections) {
            return fail(Code::limit, fmt::format("piece '{}' has more than {} combinations of places",
                                                 piece_.name, detail::kReshardLimits.selections));
          }
        }
      }
      all = std::move(product);
    }
    return all;
  }

  // The places of the source or target for the selected values.
  std::vector<Index> places(const Selector& side, std::span<const Index> selected) const {
    if (side.on != nullptr) {
      std::size_t shard = 0;
      for (std::size_t d = 0; d < selected.size(); ++d) {
        shard = shard * side.on->parts(d).size() + static_cast<std::size_t>(selected[d]);
      }
      const auto held = side.on->holders(shard);
      return {held.begin(), held.end()};
    }
    std::set<Index> out = {side.map->place.constant + selected[0]};
    for (const auto& [axis, scale] : side.map->place.terms) {
      if (number(side.map->axes[axis].name) < piece_.axes.size()) continue;
      std::set<Index> copies;
      for (Index value = 0; value < side.map->axes[axis].size; ++value) {
        for (const Index place : out) copies.insert(place + scale * value);
      }
      out = std::move(copies);
    }
    return {out.begin(), out.end()};
  }

  const Selector& from() const { return from_; }
  const Selector& to() const { return to_; }

 private:
  // The number of an axis in the piece; piece_.axes.size() for an axis of copies, which the piece lacks.
  std::size_t number(std::string_view name) const {
    return static_cast<std::size_t>(std::ranges::find(piece_.axes, name, &PieceMap::Axis::name) -
                                    piece_.axes.begin());
  }

  void join_terms(AxisGroups& groups, const PieceMap& map, const AxisSum& sum) const {
    std::optional<std::size_t> first;
    for (const auto& [axis, scale] : sum.terms) {
      const std::size_t own = number(map.axes[axis].name);
      if (own == piece_.axes.size()) continue;
      if (first) groups.join(own, *first);
      first = own;
    }
  }

  // The value of a sum for these values of the piece's axes, without its constant. Axes of copies have value
  // 0.
  Index partial(const PieceMap& map, const AxisSum& sum, std::span<const Index> values) const {
    Index value = 0;
    for (const auto& [axis, scale] : sum.terms) {
      const std::size_t own = number(map.axes[axis].name);
      if (own < values.size()) value += scale * values[own];
    }
    return value;
  }

  Result<Selections> selections(const std::vector<std::size_t>& members) const {
    Index count = 1;
    for (const std::size_t axis : members) {
      if (mul_overflows(count, piece_.axes[axis].size, count)) count = kIndexMax;
    }
    Selections out;
    // If the axes select nothing, their values need not be enumerated.
    if (!selects(members)) {
      out[std::vector<Index>(from_.numbers() + to_.numbers(), 0)] = count;
      return out;
    }
    if (count > detail::kReshardLimits.axis_values) {
      return fail(Code::limit, fmt::format("piece '{}' has a distributed dimension of more than {} indices",
                                           piece_.name, detail::kReshardLimits.axis_values));
    }
    std::vector<Index> values(piece_.axes.size(), 0);
    const auto advance = [&](std::size_t k) {
      return detail::next_value(values[members[k]], 0, piece_.axes[members[k]].size);
    };
    for (Index n = 0; n < count; ++n, detail::advance_first(members.size(), advance)) {
      if (!inside_crops(members, values)) continue;
      std::vector<Index> selected;
      for (const Selector* side : {&from_, &to_}) {
        for (std::size_t k = 0; k < side->numbers(); ++k)
          selected.push_back(select(*side, k, members, values));
      }
      ++out[std::move(selected)];
    }
    return out;
  }

  bool uses(const PieceMap& map, const AxisSum& sum, const std::vector<std::size_t>& members) const {
    return std::ranges::any_of(sum.terms, [&](const auto& term) {
      return std::ranges::find(members, number(map.axes[term.first].name)) != members.end();
    });
  }

  bool selects(const std::vector<std::size_t>& members) const {
    for (const Selector* side : {&from_, &to_}) {
      for (std::size_t k = 0; k < side->numbers(); ++k) {
        if ((side->on == nullptr || side->on->parts(k).size() > 1) && uses(*side->map, side->sum(k), members))
          return true;
      }
      for (const PieceMap::Crop& crop : side->map->crops) {
        if (uses(*side->map, crop.value, members)) return true;
      }
    }
    return false;
  }

  Index select(const Selector& side, std::size_t k, const std::vector<std::size_t>& members,
               std::span<const Index> values) const {
    const AxisSum& sum = side.sum(k);
    if (side.on == nullptr) return partial(*side.map, sum, values);
    if (side.on->parts(k).size() == 1) return 0;
    if (!uses(*side.map, sum, members)) return 0;
    const Index index = sum.constant + partial(*side.map, sum, values);
    return static_cast<Index>(side.part_of[k][static_cast<std::size_t>(index)]);
  }

  bool inside_crops(const std::vector<std::size_t>& members, std::span<const Index> values) const {
    for (const Selector* side : {&from_, &to_}) {
      for (const PieceMap::Crop& crop : side->map->crops) {
        if (uses(*side->map, crop.value, members) &&
            crop.value.constant + partial(*side->map, crop.value, values) >= crop.size) {
          return false;
        }
      }
    }
    return true;
  }

  const MatchedPiece& piece_;
  Selector from_;
  Selector to_;
};

}  // namespace

Result<PieceTraffic> PieceMatch::traffic(Index places) const {
  PieceTraffic out;
  out.receive.assign(static_cast<std::size_t>(places), 0);
  std::set<std::pair<Index, Index>> pairs;
  bool single = true;
  for (const MatchedPiece& piece : pieces_) {
    const PieceTensor& from = from_[piece.from_tensor];
    const PieceTensor& to = to_[piece.to_tensor];
    for (const PieceTensor* tensor : {&from, &to}) {
      if (tensor->on || !tensor->axes.places.empty()) continue;
      return fail(Code::bad_option, fmt::format("tensor '{}' has no places", tensor->name), {},
                  "add place axes or a sharding");
    }
    TrafficOfPiece counted(piece, from, to);
    const auto selections = counted.run();
    if (!selections) return fail(selections.error());
    for (const auto& [selected, count] : *selections) {
      const std::span<const Index> numbers(selected);
      const auto senders = counted.places(counted.from(), numbers.first(counted.from().numbers()));
      const auto receivers = counted.places(counted.to(), numbers.subspan(counted.from().numbers()));
      single = single && senders.size() == 1;
      for (const Index receiver : receivers) {
        if (receiver >= places || senders.back() >= places) {
          return fail(Code::index_out_of_range,
                      fmt::format("there are {} places, but piece '{}' is on place {}", places, piece.name,
                                  std::max(receiver, senders.back())));
        }
        if (std::ranges::find(senders, receiver) != senders.end()) continue;
        out.receive[static_cast<std::size_t>(receiver)] += count;
        out.total += count;
        pairs.emplace(senders[0], receiver);
      }
    }
  }
  if (single) out.messages = static_cast<Index>(pairs.size());
  return out;
}

}  // namespace tessera
