// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "notation/refusal.h"
#include "tessera/notation/raise.h"

namespace tessera {
namespace {

using detail::refuse;

// A digit in memory order: floor(x[dim] / div) mod ext, with `alloc` >= ext positions. dim -1 is a coordinate
// that is always 0, there to make the smallest stride larger than 1.
struct Place {
  Index dim = 0;
  Index div = 1;
  Index ext = 1;
  Index alloc = 1;
  friend auto operator<=>(const Place&, const Place&) = default;
};
using Places = std::vector<Place>;  // most major first

constexpr Index kNoDim = -1;

// One tile taken back: `before` turns into `after` when every place of `before` is cut by its entry (1: not
// at all).
struct Undo {
  Places before;
  std::vector<Index> entries;  // one a place of `before`, from the most major
};

// Every list from which one tile makes `after`. A tile moves the inner part of each cut coordinate to the
// end, so a suffix of `after` consists of inner parts: digits whose outer part stands in front, in the same
// relative order, and at most one digit that was cut off whole (its outer part is a unit, which shows
// nowhere).
class Undoing {
 public:
  Undoing(const Places& after, std::span<const Index> box) : after_(after), box_(box) {}

  std::vector<Undo> all() {
    for (std::size_t inner = 1; inner <= after_.size(); ++inner) {
      rest_ = after_.size() - inner;
      for (std::size_t whole = rest_; whole <= after_.size(); ++whole) try_with(whole);
    }
    return std::move(found_);
  }

 private:
  // `whole` is the place of the digit cut off whole, or after_.size() for none.
  void try_with(std::size_t whole) {
    Places before(after_.begin(), after_.begin() + static_cast<std::ptrdiff_t>(rest_));
    std::vector<Index> entries(rest_, 1);
    std::size_t from = 0;  // where the next outer part may stand
    std::size_t low = 0;   // bounds of where the whole digit may have stood
    std::size_t high = rest_;
    for (std::size_t i = rest_; i < after_.size(); ++i) {
      if (i == whole) {
        low = from;
        continue;
      }
      const Place& in = after_[i];
      std::size_t at = from;
      while (at < rest_ && !joins(before[at], in)) ++at;
      if (at == rest_) return;
      if (whole < i && high == rest_) high = at;
      before[at] = joined(before[at], in);
      entries[at] = in.ext;
      from = at + 1;
    }
    if (whole == after_.size()) {
      found_.push_back({std::move(before), std::move(entries)});
      return;
    }
    const Place& moved = after_[whole];
    if (moved.alloc == 1) return;
    if (moved.dim == kNoDim) {
      // It comes from a tile with one entry more than there are coordinates, so it stood in front of all.
      if (low == 0) insert(before, entries, 0, moved);
      return;
    }
    // Nothing stands in front of the coordinate that is not there yet.
    if (rest_ > 0 && after_[0].dim == kNoDim && after_[0].alloc == 1) low = std::max<std::size_t>(low, 1);
    for (std::size_t at = low; at <= high; ++at) insert(before, entries, at, moved);
  }

  void insert(Places before, std::vector<Index> entries, std::size_t at, Place moved) {
    const Index entry = moved.alloc;
    moved.alloc = moved.ext;
    before.insert(before.begin() + static_cast<std::ptrdiff_t>(at), moved);
    entries.insert(entries.begin() + static_cast<std::ptrdiff_t>(at), entry);
    found_.push_back({std::move(before), std::move(entries)});
  }

  static bool joins(const Place& outer, const Place& in) {
    return in.dim != kNoDim && outer.dim == in.dim && in.ext > 1 && in.alloc == in.ext &&
           outer.div == in.div * in.ext;
  }

  Place joined(const Place& outer, const Place& in) const {
    const Index extent = box_[static_cast<std::size_t>(in.dim)];
    const bool top = outer.div >= ceil_div(extent, outer.ext);
    const Index ext = top ? ceil_div(extent, in.div) : in.ext * outer.ext;
    return {in.dim, in.div, ext, outer.alloc == outer.ext ? ext : outer.alloc * in.ext};
  }

  const Places& after_;
  std::span<const Index> box_;
  std::size_t rest_ = 0;
  std::vector<Undo> found_;
};

// Text of a chain of tiles, first applied first.
class TileWriter {
 public:
  TileWriter(const std::vector<Undo>& steps, const Places& start, std::span<const Index> box)
      : steps_(steps) {
    for (const Place& p : start) {
      if (p.dim != kNoDim) order_.push_back(p.dim);
    }
    // Dimensions of extent 1 that nothing uses stand behind the dimension before them.
    for (std::size_t d = 0; d < box.size(); ++d) {
      if (std::ranges::find(order_, static_cast<Index>(d)) != order_.end()) continue;
      const auto previous = d == 0 ? order_.end() : std::ranges::find(order_, static_cast<Index>(d) - 1);
      order_.insert(d == 0 ? order_.begin() : previous + 1, static_cast<Index>(d));
    }
    for (const Index d : order_) {
      const auto at = std::ranges::find(start, d, &Place::dim);
      current_.push_back(at == start.end() ? kUnit : static_cast<int>(at - start.begin()));
    }
  }

  TiledLayout write() {
    TiledLayout layout;
    layout.minor_to_major.assign(order_.rbegin(), order_.rend());
    for (const Undo& step : steps_) layout.tiles.push_back(apply(step));
    return layout;
  }

 private:
  static constexpr int kUnit =
      -1;  // a coordinate that is always 0: of extent 1, or left behind by a whole cut

  // Every coordinate from the first one that is cut gets an entry; outer parts stay in place, inner parts
  // follow.
  std::vector<Index> apply(const Undo& step) {
    const auto entry = [&](int place) {
      return place == kUnit ? Index{1} : step.entries[static_cast<std::size_t>(place)];
    };
    const bool has_spacer = !step.before.empty() && step.before[0].dim == kNoDim && step.before[0].alloc == 1;
    // The coordinate without a dimension appears when a tile has an entry more than there are coordinates.
    if (has_spacer && step.entries[0] > 1) current_.insert(current_.begin(), 0);
    int next = has_spacer && step.entries[0] == 1 ? 1 : 0;  // numbers of the places after the tile
    std::size_t first = 0;
    for (; first < current_.size() && entry(current_[first]) == 1; ++first) {
      if (current_[first] != kUnit) current_[first] = next++;
    }
    std::vector<Index> tile;
    std::vector<int> inner;
    for (std::size_t i = first; i < current_.size(); ++i) {
      const Index size = entry(current_[i]);
      const bool whole = size > 1 && step.before[static_cast<std::size_t>(current_[i])].alloc <= size;
      tile.push_back(size);
      inner.push_back(size > 1 ? 0 : kUnit);
      if (current_[i] != kUnit) current_[i] = whole ? kUnit : next++;
    }
    for (int& part : inner) {
      if (part != kUnit) part = next++;
    }
    current_.insert(current_.end(), inner.begin(), inner.end());
    return tile;
  }

  const std::vector<Undo>& steps_;
  std::vector<Index> order_;
  std::vector<int> current_;
};

bool is_plain(const Places& places, std::span<const Index> box) {
  return std::ranges::all_of(places, [&](const Place& p) {
    const Index extent = p.dim == kNoDim ? 1 : box[static_cast<std::size_t>(p.dim)];
    return p.div == 1 && p.ext == extent && p.alloc == p.ext;
  });
}

// Fewest tiles first, then descending minor_to_major, then fewest entries, then the smallest product.
auto cost(const TiledLayout& layout) {
  std::size_t entries = 0;
  double product = 1;
  for (const auto& tile : layout.tiles) {
    entries += tile.size();
    for (const Index e : tile) product *= static_cast<double>(e);
  }
  return std::tuple(layout.tiles.size(),
                    !std::ranges::is_sorted(layout.minor_to_major, std::ranges::greater{}), entries, product);
}

constexpr std::size_t kMaxStates = 20'000;

// Breadth first over lists, so that the first level with an answer has the fewest tiles. All answers of that
// level, the best first.
std::vector<TiledLayout> shortest(const Places& target, std::span<const Index> box) {
  struct Node {
    Places places;
    std::vector<Undo> steps;  // from `places` to the target
  };
  std::vector<Node> level = {{target, {}}};
  std::set<Places> seen = {target};
  while (!level.empty() && seen.size() < kMaxStates) {
    std::vector<TiledLayout> answers;
    for (const Node& node : level) {
      if (is_plain(node.places, box)) answers.push_back(TileWriter(node.steps, node.places, box).write());
    }
    if (!answers.empty()) {
      std::ranges::sort(answers, {}, [](const TiledLayout& layout) {
        return std::tuple(cost(layout), layout.minor_to_major, layout.tiles);
      });
      return answers;
    }
    std::vector<Node> next;
    std::set<Places> added;
    for (const Node& node : level) {
      for (Undo& undo : Undoing(node.places, box).all()) {
        // Several ways into one plain list may differ in their tiles, so those are all kept.
        if (seen.contains(undo.before) || (!added.insert(undo.before).second && !is_plain(undo.before, box)))
          continue;
        Node before{undo.before, {}};
        before.steps.push_back(std::move(undo));
        before.steps.insert(before.steps.end(), node.steps.begin(), node.steps.end());
        next.push_back(std::move(before));
        if (seen.size() + added.size() >= kMaxStates) break;
      }
    }
    seen.merge(added);
    level = std::move(next);
  }
  return {};
}

// A tile list that always exists: cut the lowest digits off until each coordinate is one digit, then move the
// digits one by one to the end in the wanted order.
TiledLayout separate_and_reorder(const Places& target, std::span<const Index> box) {
  Places start;
  for (std::size_t d = 0; d < box.size(); ++d) {
    const auto dim = static_cast<Index>(d);
    if (std::ranges::find(target, dim, &Place::dim) != target.end())
      start.push_back({dim, 1, box[d], box[d]});
  }
  if (std::ranges::find(target, kNoDim, &Place::dim) != target.end())
    start.insert(start.begin(), Place{kNoDim});
  const auto lowest = [&](const Place& p) {
    return std::ranges::find_if(target, [&](const Place& t) { return t.dim == p.dim && t.div == p.div; })
        ->ext;
  };
  std::vector<Undo> steps;
  Places current = start;
  for (;;) {
    Undo step{current, std::vector<Index>(current.size(), 1)};
    Places outer;
    Places inner;
    for (std::size_t i = 0; i < current.size(); ++i) {
      Place p = current[i];
      const Index ext = p.dim == kNoDim ? p.ext : lowest(p);
      if (ext < p.ext) {
        step.entries[i] = ext;
        inner.push_back({p.dim, p.div, ext, ext});
        p = {p.dim, p.div * ext, ceil_div(p.ext, ext), ceil_div(p.ext, ext)};
      }
      outer.push_back(p);
    }
    if (inner.empty()) break;
    outer.insert(outer.end(), inner.begin(), inner.end());
    steps.push_back(std::move(step));
    current = std::move(outer);
  }
  for (const Place& wanted : target) {
    const auto at = std::ranges::find_if(
        current, [&](const Place& p) { return p.dim == wanted.dim && p.div == wanted.div; });
    if (wanted.alloc == 1) continue;
    Undo step{current, std::vector<Index>(current.size(), 1)};
    step.entries[static_cast<std::size_t>(at - current.begin())] = wanted.alloc;
    current.erase(at);
    current.push_back(wanted);
    steps.push_back(std::move(step));
  }
  return TileWriter(steps, start, box).write();
}

}  // namespace

Result<std::vector<TiledLayout>> to_tiled_layouts(const Digits& digits) {
  if (const auto sound = detail::check_dense_candidate(digits, "a tiled layout"); !sound)
    return fail(sound.error());
  std::vector<Digit> sorted(digits.digits().begin(), digits.digits().end());
  std::ranges::sort(sorted, std::ranges::greater{}, &Digit::stride);
  Places target;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    Index alloc = sorted[k].ext;
    if (k > 0) {
      const Index larger = sorted[k - 1].stride;
      alloc = larger / sorted[k].stride;
      if (larger % sorted[k].stride != 0 || alloc < sorted[k].ext) {
        return refuse(
            "gap", fmt::format("the step from stride {} to stride {} is not a whole multiple, or overlaps; "
                               "tiles with * were not tried",
                               sorted[k].stride, larger));
      }
    }
    target.push_back({sorted[k].dim, sorted[k].div, sorted[k].ext, alloc});
  }
  if (!sorted.empty() && sorted.back().stride > 1) {
    const auto unit = std::ranges::find(digits.box(), 1);
    const Index dim = unit == digits.box().end() ? kNoDim : unit - digits.box().begin();
    target.push_back({dim, 1, 1, sorted.back().stride});
  }
  std::vector<TiledLayout> layouts = shortest(target, digits.box());
  if (layouts.empty()) layouts.push_back(separate_and_reorder(target, digits.box()));
  std::vector<TiledLayout> distinct;
  for (TiledLayout& layout : layouts) {
    if (std::ranges::find(distinct, layout) == distinct.end()) distinct.push_back(std::move(layout));
  }
  return distinct;
}

Result<TiledLayout> to_tiled_layout(const Digits& digits) {
  auto layouts = to_tiled_layouts(digits);
  if (!layouts) return fail(layouts.error());
  return std::move(layouts->front());
}

}  // namespace tessera
