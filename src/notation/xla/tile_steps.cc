// SPDX-License-Identifier: Apache-2.0
#include "notation/xla/tile_steps.h"

#include <algorithm>
#include <iterator>

namespace tessera::detail {
namespace {

class TileWriter {
 public:
  TileWriter(const AllocatedDigits& start, std::span<const Index> box, Units units)
      : joins_(units == Units::joined) {
    for (const AllocatedDigit& p : start) {
      if (p.dim >= 0) order_.push_back(p.dim);
    }
    const bool sorted = units == Units::sorted && std::ranges::is_sorted(order_);
    for (std::size_t d = box.size(); d-- > 0;) {
      const auto dim = static_cast<Index>(d);
      if (std::ranges::find(order_, dim) != order_.end()) continue;
      order_.insert(sorted ? std::ranges::lower_bound(order_, dim) : order_.begin(), dim);
    }
    for (const Index d : order_) {
      const auto at = std::ranges::find(start, d, &AllocatedDigit::dim);
      current_.push_back(at == start.end() ? kUnit : static_cast<int>(at - start.begin()));
    }
  }

  TiledLayout write(std::span<const TileStep> steps) {
    TiledLayout layout;
    layout.minor_to_major.assign(order_.rbegin(), order_.rend());
    for (const TileStep& step : steps) layout.tiles.push_back(apply(step));
    return layout;
  }

 private:
  static constexpr int kUnit = -1;  // a coordinate that is always 0: of extent 1, or left by a whole cut

  // Provides a leading coordinate without a dimension: an existing unit coordinate or, if there is none, a
  // new one, which a tile with one more entry than there are coordinates creates.
  void add_spacer() {
    const auto content = std::ranges::find_if(current_, [](int c) { return c != kUnit; });
    if (content == current_.begin()) {
      current_.insert(current_.begin(), 0);
    } else {
      *(content - 1) = 0;
    }
  }

  // Writes the entries of a tile: every coordinate gets one, starting with the first that is cut. Outer parts
  // stay, inner parts follow.
  std::vector<Index> apply(const TileStep& step) {
    const bool has_spacer =
        !step.before.empty() && step.before[0].dim == kSpacer && step.before[0].alloc == 1;
    bool spacer_missing = has_spacer && std::ranges::find(current_, 0) == current_.end();
    if (spacer_missing && (step.cuts[0].entry != 1 || step.cuts[0].inner)) {
      add_spacer();
      spacer_missing = false;
    }
    int next = spacer_missing ? 1 : 0;  // coordinate numbers after the tile
    const auto cut_of = [&](int c) {
      return c == kUnit ? CoordinateCut{1, false, false} : step.cuts[static_cast<std::size_t>(c)];
    };
    std::vector<int> outer;
    std::size_t i = 0;
    for (; i < current_.size(); ++i) {
      const CoordinateCut cut = cut_of(current_[i]);
      if (cut.entry != 1 || cut.inner) break;
      outer.push_back(cut.outer ? next++ : kUnit);
    }
    std::vector<Index> tile;
    std::vector<int> inner;
    bool in_run = false;
    for (; i < current_.size(); ++i) {
      const CoordinateCut cut = cut_of(current_[i]);
      const bool joins = current_[i] == kUnit && (in_run || joins_) && i + 1 < current_.size();
      const bool combined = cut.entry == kCombine || joins;
      tile.push_back(combined ? kCombine : cut.entry);
      in_run = combined;
      if (combined) continue;
      outer.push_back(cut.outer ? next++ : kUnit);
      inner.push_back(cut.inner ? 0 : kUnit);
    }
    for (int& part : inner) {
      if (part != kUnit) part = next++;
    }
    current_ = std::move(outer);
    current_.insert(current_.end(), inner.begin(), inner.end());
    return tile;
  }

  bool joins_;
  std::vector<Index> order_;
  std::vector<int> current_;  // the number of each coordinate, or kUnit
};

// The nesting depth of runs in a coordinate: 0 for a digit, 1 for a run of digits.
int height(const AllocatedDigit& place, std::span<const CombinedRun> runs) {
  int most = 0;
  if (place.dim == kRunOfPlaces) {
    for (const AllocatedDigit& member : runs[static_cast<std::size_t>(place.div)].members)
      most = std::max(most, 1 + height(member, runs));
  }
  return most;
}

AllocatedDigits expanded(const AllocatedDigits& places, int most, std::span<const CombinedRun> runs) {
  AllocatedDigits flat;
  for (const AllocatedDigit& p : places) {
    if (height(p, runs) <= most) {
      flat.push_back(p);
    } else {
      std::ranges::copy(expanded(runs[static_cast<std::size_t>(p.div)].members, most, runs),
                        std::back_inserter(flat));
    }
  }
  return flat;
}

// Adds tiles that cut off the lowest digits until each coordinate is one digit.
void separate(AllocatedDigits& current, const AllocatedDigits& digits, std::vector<TileStep>& steps) {
  const auto lowest = [&](const AllocatedDigit& p) {
    return std::ranges::find_if(digits,
                                [&](const AllocatedDigit& t) { return t.dim == p.dim && t.div == p.div; })
        ->ext;
  };
  for (;;) {
    TileStep step{current, std::vector<CoordinateCut>(current.size())};
    AllocatedDigits outer;
    AllocatedDigits inner;
    for (std::size_t i = 0; i < current.size(); ++i) {
      AllocatedDigit p = current[i];
      const Index ext = p.dim == kSpacer ? p.ext : lowest(p);
      if (ext < p.ext) {
        step.cuts[i] = {ext, true, true};
        inner.push_back({p.dim, p.div, ext, ext});
        p = {p.dim, p.div * ext, ceil_div(p.ext, ext), ceil_div(p.ext, ext)};
      }
      outer.push_back(p);
    }
    if (inner.empty()) return;
    std::ranges::move(inner, std::back_inserter(outer));
    steps.push_back(std::move(step));
    current = std::move(outer);
  }
}

// Adds tiles that sort the coordinates. A tile moves some coordinates to the end and keeps their order, so
// this is a radix sort by the bits of their positions in `wanted`, lowest bit first. All but the first
// coordinate move and get their allocation.
void sort(AllocatedDigits& current, const AllocatedDigits& wanted, std::vector<TileStep>& steps) {
  for (std::size_t bit = 1; bit < wanted.size(); bit *= 2) {
    TileStep step{current, std::vector<CoordinateCut>(current.size())};
    AllocatedDigits stay;
    AllocatedDigits move;
    for (std::size_t i = 0; i < current.size(); ++i) {
      const auto at = std::ranges::find_if(wanted, [&](const AllocatedDigit& w) {
        return w.dim == current[i].dim && w.div == current[i].div;
      });
      const bool moves = (static_cast<std::size_t>(at - wanted.begin()) & bit) != 0;
      if (moves) step.cuts[i] = {at->alloc, false, true};
      (moves ? move : stay).push_back(moves ? *at : current[i]);
    }
    std::ranges::move(move, std::back_inserter(stay));
    steps.push_back(std::move(step));
    current = std::move(stay);
  }
}

// A tile that combines the runs whose members are in `before`. All other coordinates move too, so that the
// unit coordinates that remain of the runs come first.
TileStep combined(const AllocatedDigits& before, const AllocatedDigits& after,
                  std::span<const CombinedRun> runs) {
  TileStep step{before, {}};
  for (const AllocatedDigit& p : after) {
    if (step.cuts.size() < before.size() && before[step.cuts.size()] != p) {
      const std::size_t members = runs[static_cast<std::size_t>(p.div)].members.size();
      step.cuts.insert(step.cuts.end(), members - 1, CoordinateCut{kCombine, false, false});
    }
    step.cuts.push_back({p.alloc, false, true});
  }
  return step;
}

}  // namespace

bool is_plain(const AllocatedDigits& places, std::span<const Index> box) {
  return std::ranges::all_of(places, [&](const AllocatedDigit& p) {
    if (p.dim == kRunOfPlaces || p.dim == kLoose) return false;
    const Index extent = p.dim == kSpacer ? 1 : box[static_cast<std::size_t>(p.dim)];
    return p.div == 1 && p.ext == extent && p.alloc == p.ext;
  });
}

TiledLayout write_tiles(std::span<const TileStep> steps, const AllocatedDigits& start,
                        std::span<const Index> box, Units units) {
  return TileWriter(steps.empty() ? start : steps.front().before, box, units).write(steps);
}

TiledLayout separate_and_reorder(const AllocatedDigits& target, std::span<const CombinedRun> runs,
                                 std::span<const Index> box) {
  AllocatedDigits digits = expanded(target, 0, runs);
  for (AllocatedDigit& p : digits) {
    if (p.dim == kLoose) p.dim = kSpacer;
  }
  AllocatedDigits current;
  if (std::ranges::find(digits, kSpacer, &AllocatedDigit::dim) != digits.end()) current.push_back({kSpacer});
  for (std::size_t d = 0; d < box.size(); ++d) {
    const auto dim = static_cast<Index>(d);
    if (std::ranges::find(digits, dim, &AllocatedDigit::dim) != digits.end())
      current.push_back({dim, 1, box[d], box[d]});
  }
  const AllocatedDigits start = current;
  std::vector<TileStep> steps;
  separate(current, digits, steps);
  sort(current, digits, steps);
  const auto runs_in = [&](int most) { return expanded(target, most, runs); };
  for (int most = 1; runs_in(most - 1) != target; ++most)
    steps.push_back(combined(runs_in(most - 1), runs_in(most), runs));
  return write_tiles(steps, start, box, Units::joined);
}

}  // namespace tessera::detail
