// SPDX-License-Identifier: Apache-2.0
#include "notation/xla/tile_search.h"

#include <algorithm>
#include <bit>
#include <set>

#include "notation/limits.h"

namespace tessera::detail {
namespace {

// Searches from the last tile back to the first, for lists of 1 tile, then 2 tiles, and so on.
class TileSearch {
 public:
  TileSearch(std::span<const CombinedRun> runs, std::span<const Index> box)
      : runs_(runs), box_(box), has_units_(std::ranges::find(box, 1) != box.end()) {}

  std::vector<TiledLayout> run(const AllocatedDigits& target) {
    if (is_plain(target, box_)) return {write_tiles({}, target, box_, Units::sorted)};
    for (std::size_t tiles = 1; tiles <= kNotationLimits.xla.tiles && !exhausted() && found_.empty();
         ++tiles) {
      steps_.assign(tiles, {});
      dead_.assign(tiles, {});
      if (reachable(target, tiles)) undo(target, tiles);
    }
    return std::move(found_);
  }

 private:
  // Tries every order that one tile turns into `after`, then continues with `tiles - 1` tiles.
  void undo(const AllocatedDigits& after, std::size_t tiles) {
    const std::size_t known = found_.size();
    if (tiles > 1 && dead_[tiles - 1].contains(after)) return;
    for (std::size_t inner = 1; inner <= after.size() && !exhausted(); ++inner) {
      Attempt attempt{after, after.size() - inner, tiles};
      attempt.before.reserve(after.size() + 2);
      attempt.cuts.reserve(after.size() + 2);
      choose(attempt, attempt.rest, 0);
    }
    if (tiles > 1 && found_.size() == known) dead_[tiles - 1].insert(after);
  }

  // A tile that is being undone. A tile moves the inner part of each cut coordinate to the end, so the suffix
  // of `after` from `rest` on consists of inner parts, in the order of their coordinates.
  struct Attempt {
    const AllocatedDigits& after;
    std::size_t rest;
    std::size_t tiles;
    AllocatedDigits before = {};
    std::vector<CoordinateCut> cuts = {};
  };

  // Undoes placements made during its lifetime.
  class Mark {
   public:
    explicit Mark(Attempt& a) : attempt_(a), placed_(a.before.size()) {}
    void restore() const {
      attempt_.before.resize(placed_);
      attempt_.cuts.resize(placed_);
    }

   private:
    Attempt& attempt_;
    std::size_t placed_;
  };

  // Places the coordinate of inner part `i`; the outer parts from `from` on are not placed yet.
  void choose(Attempt& a, std::size_t i, std::size_t from) {
    if (++steps_taken_ > kNotationLimits.xla.tile_steps) return;
    const Mark mark(a);
    if (i == a.after.size()) {
      if (append_outer(a, from, a.rest)) follow(a);
      return;
    }
    const AllocatedDigit& inner = a.after[i];
    if (inner.dim == kSpacer) return;
    if (inner.dim == kLoose) {
      if (inner.alloc == 1) take_inner_of_uncut(a, i, from);
      for_each_unit(a, i, from, a.rest, {inner.alloc, false, true},
                    [&](std::size_t at) { choose(a, i + 1, at); });
      return;
    }
    join(a, i, from);
    mark.restore();
    for (std::size_t at = from; at <= a.rest; ++at) {
      // The first inner part, if it comes right after all outer parts and is not padded, did not move.
      if (i == a.rest && at == a.rest && inner.alloc == inner.ext && inner.dim != kRunOfPlaces) break;
      if (!append_outer(a, from, at)) break;
      const Mark here(a);
      move_whole(a, i, at);
      here.restore();
      if (inner.dim == kRunOfPlaces) make_run(a, i, at);
      mark.restore();
    }
    mark.restore();
  }

  // Joins inner part `i` with its outer part, which is before position `rest`.
  void join(Attempt& a, std::size_t i, std::size_t from) {
    const AllocatedDigit& inner = a.after[i];
    if (inner.dim < 0 || inner.ext == 1) return;
    const std::size_t at = partner(a, inner, from);
    if (at == a.rest || inner.alloc % inner.ext != 0) return;
    const AllocatedDigit whole = joined(a.after[at], inner);
    if (a.tiles == 1 && !plain(whole)) return;
    const auto finish = [&](std::size_t next) {
      if (!append_outer(a, next, at)) return;
      push(a, whole, {inner.ext, true, true});
      choose(a, i + 1, at + 1);
    };
    const Index padding = inner.alloc / inner.ext;
    if (padding == 1) return finish(from);
    // A leading coordinate that is always 0 provides the padding.
    for_each_unit(a, i, from, at, {padding, false, false}, finish);
  }

  void move_whole(Attempt& a, std::size_t i, std::size_t at) {
    AllocatedDigit place = a.after[i];
    const CoordinateCut cut{place.alloc, false, true};
    place.alloc = place.ext;
    if (a.tiles == 1 && !plain(place)) return;
    const Mark mark(a);
    push(a, place, cut);
    choose(a, i + 1, at);
    // The cut leaves a coordinate that is always 0, which a later tile may need.
    if (at == a.rest || a.after[at] != AllocatedDigit{kLoose, 1, 1, 1}) return;
    mark.restore();
    push(a, place, {cut.entry, true, true});
    choose(a, i + 1, at + 1);
  }

  void make_run(Attempt& a, std::size_t i, std::size_t at) {
    const AllocatedDigit& place = a.after[i];
    const CombinedRun& run = runs_[static_cast<std::size_t>(place.div)];
    // No unmoved coordinate may precede the unit coordinate that remains of the run.
    if (run.crosses && at > 0) return;
    const Mark mark(a);
    AllocatedDigit first = run.members.front();
    const auto combine = [&](bool cut, std::size_t next) {
      push(a, first, {kCombine, false, false});
      for (const AllocatedDigit& member : std::span(run.members).subspan(1))
        push(a, member, {kCombine, false, false});
      a.cuts.back() = {place.alloc, cut, true};
      if (a.tiles > 1 || std::ranges::all_of(std::span(a.before).last(run.members.size()),
                                             [&](const AllocatedDigit& p) { return plain(p); }))
        choose(a, i + 1, next);
    };
    combine(false, at);
    // The run may be the lower part of the combined coordinate, cut where a digit of its first member ends.
    if (at == a.rest || run.crosses || place.alloc != place.ext || first.dim < 0 || first.ext == 1 ||
        partner(a, first, at) != at)
      return;
    mark.restore();
    first = joined(a.after[at], first);
    combine(true, at + 1);
  }

  // Takes part `i`, which is always 0 and allocates one position, as the inner part of each outer part in
  // turn: the tile covers that coordinate without cutting it.
  void take_inner_of_uncut(Attempt& a, std::size_t i, std::size_t from) {
    const Mark mark(a);
    for (std::size_t at = from; at < a.rest; ++at) {
      if (!append_outer(a, from, at + 1)) break;
      a.cuts.back().inner = true;
      choose(a, i + 1, at + 1);
      mark.restore();
    }
    mark.restore();
  }

  // Places a coordinate that is always 0 between the outer parts `from` and `to`, in every way, and calls
  // `then` with the next outer part to place.
  template <class Then>
  void for_each_unit(Attempt& a, std::size_t i, std::size_t from, std::size_t to, CoordinateCut cut,
                     const Then& then) {
    const Mark mark(a);
    if (i == a.rest && from == 0 && a.before.empty() &&
        std::ranges::find(a.after, kSpacer, &AllocatedDigit::dim) == a.after.end()) {
      push(a, {kSpacer, 1, 1, 1}, cut);
      then(0);
      mark.restore();
    }
    for (std::size_t at = from; at <= to; ++at) {
      if (!append_outer(a, from, at)) break;
      const Mark here(a);
      for (std::size_t d = 0; d < box_.size(); ++d) {
        if (!is_free(a, d)) continue;
        push(a, {static_cast<Index>(d), 1, 1, 1}, cut);
        then(at);
        here.restore();
      }
      if (a.tiles > 1) {
        push(a, {kLoose, 1, 1, 1}, cut);
        then(at);
      }
      mark.restore();
    }
    mark.restore();
  }

  static void push(Attempt& a, const AllocatedDigit& place, CoordinateCut cut) {
    a.before.push_back(place);
    a.cuts.push_back(cut);
  }

  bool append_outer(Attempt& a, std::size_t from, std::size_t to) const {
    for (std::size_t k = from; k < to; ++k) {
      if (a.tiles == 1 && !plain(a.after[k])) return false;
      push(a, a.after[k], {});
    }
    return true;
  }

  // The position, at or after `from`, of the next higher digit of the same dimension; `rest` if there is
  // none.
  static std::size_t partner(const Attempt& a, const AllocatedDigit& inner, std::size_t from) {
    while (from < a.rest && !(a.after[from].dim == inner.dim && a.after[from].div == inner.div * inner.ext))
      ++from;
    return from;
  }

  void follow(const Attempt& a) {
    if (a.before == a.after) return;
    // No coordinate may precede the missing unit coordinate.
    const auto spacer = std::ranges::find(a.before, kSpacer, &AllocatedDigit::dim);
    if (spacer != a.before.end() && spacer->alloc == 1 && spacer != a.before.begin()) return;
    if (a.tiles > 1 && !reachable(a.before, a.tiles - 1)) return;
    steps_[a.tiles - 1] = {a.before, a.cuts};
    if (a.tiles > 1) return undo(a.before, a.tiles - 1);
    found_.push_back(write_tiles(steps_, {}, box_, Units::sorted));
    if (has_units_) found_.push_back(write_tiles(steps_, {}, box_, Units::in_front));
  }

  // Whether `tiles` tiles suffice: a tile cuts a coordinate in two, so k tiles make at most 2^k digits of a
  // dimension.
  bool reachable(const AllocatedDigits& places, std::size_t tiles) const {
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (places[i].dim < 0 || places[i].div != 1) continue;
      const auto count = std::ranges::count(places, places[i].dim, &AllocatedDigit::dim);
      if (static_cast<std::size_t>(std::bit_width(static_cast<std::size_t>(count - 1))) > tiles) return false;
    }
    return true;
  }

  bool plain(const AllocatedDigit& p) const {
    if (p.dim == kRunOfPlaces || p.dim == kLoose) return false;
    const Index extent = p.dim == kSpacer ? 1 : box_[static_cast<std::size_t>(p.dim)];
    return p.div == 1 && p.ext == extent && p.alloc == p.ext;
  }

  AllocatedDigit joined(const AllocatedDigit& outer, const AllocatedDigit& inner) const {
    const Index extent = box_[static_cast<std::size_t>(inner.dim)];
    const bool top = outer.div >= ceil_div(extent, outer.ext);
    const Index ext = top ? ceil_div(extent, inner.div) : inner.ext * outer.ext;
    return {inner.dim, inner.div, ext, outer.alloc == outer.ext ? ext : outer.alloc * inner.ext};
  }

  // Whether dimension `d` has extent 1 and is not yet used for padding.
  bool is_free(const Attempt& a, std::size_t d) const {
    const auto dim = static_cast<Index>(d);
    return box_[d] == 1 && std::ranges::find(a.after, dim, &AllocatedDigit::dim) == a.after.end() &&
           std::ranges::find(a.before, dim, &AllocatedDigit::dim) == a.before.end();
  }

  bool exhausted() const { return steps_taken_ >= kNotationLimits.xla.tile_steps; }

  std::span<const CombinedRun> runs_;
  std::span<const Index> box_;
  bool has_units_;
  std::vector<TileStep> steps_;                  // first tile first
  std::vector<std::set<AllocatedDigits>> dead_;  // the dead ends by the number of remaining tiles - 1
  std::vector<TiledLayout> found_;
  int steps_taken_ = 0;
};

}  // namespace

std::vector<TiledLayout> shortest_tiles(const AllocatedDigits& target, std::span<const CombinedRun> runs,
                                        std::span<const Index> box) {
  return TileSearch(runs, box).run(target);
}

}  // namespace tessera::detail
