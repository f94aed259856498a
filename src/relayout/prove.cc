// SPDX-License-Identifier: Apache-2.0
#include "relayout/prove.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "notation/summands.h"
#include "relayout/build.h"
#include "tessera/notation/preimage.h"
#include "tessera/notation/to_digits.h"

namespace tessera::moving {
namespace {

using detail::kEndless;
using detail::Summand;
using detail::Window;

using Point = std::vector<Index>;

// Entries of tables, and combinations of them, that are looked at one by one.
constexpr Index kMostLookedAt = Index{1} << 20;
// Each is held against each other. The planner makes half as many.
constexpr std::size_t kMostParts = 8192;

// One layout: its offsets, as one function and as a sum.
struct Side {
  explicit Side(const Layout& l) : layout(l), sum(detail::summands(l)) {}
  const Layout& layout;
  std::vector<Summand> sum;
};

// Can offsets be turned back into indices one by one at no cost?
bool turns_around(const Layout& layout) {
  if (layout.tiled_map() != nullptr) return true;
  if (const Digits* digits = layout.known_digits()) return is_nested(*digits);
  if (const ComposedLayout* chain = layout.composed()) {
    for (int i = 0; i + 1 < chain->parts; ++i) {
      if (chain->part[i].kind != ComposedPart::Kind::swizzle) return false;
    }
    return is_nested(to_digits(chain->domain(), layout.shape()));
  }
  return layout.linear() != nullptr;
}

// What moves the index of a part: values of the index, each with offsets on both sides. A loop is one run of
// one dimension; a table is the values it lists.
struct Mover {
  std::vector<Point> steps = {};  // table: from the corner to each entry
  std::vector<Index> near = {};   // table: offsets of the entries from the corner, where indices are read
  std::vector<Index> far = {};    // and on the other side
  // loop: `count` values, `unit` apart, upwards (sign 1) or downwards (-1)
  std::size_t dim = 0;
  Index unit = 1;
  Index count = 1;
  Index sign = 1;
  Index near_stride = 0;
  Index far_stride = 0;
  bool is_table() const { return !steps.empty(); }
};

// Values [0, count) of a dimension's index divided by `unit`, all of which one mover takes.
struct Run {
  std::size_t dim = 0;
  Index unit = 1;
  Index count = 1;
  std::size_t mover = kNobody;
  static constexpr std::size_t kNobody = static_cast<std::size_t>(-1);
};

// The indices one part copies, in one dimension: all of [first, last).
struct Interval {
  Index first = 0;
  Index last = 0;
};

// One part. `near` is the side whose offsets are turned back into indices.
class PartProof {
 public:
  PartProof(const State& state, const Part& part, const Side& near, const Side& far, bool near_is_dst)
      : e_(state.element_bytes), part_(part), near_(near), far_(far), near_is_dst_(near_is_dst) {}

  // The box of indices, each of which moves from its place to its place; nothing where that is not seen.
  std::optional<std::vector<Interval>> box() {
    if (!find_corner() || !find_movers() || !find_runs()) return std::nullopt;
    join_dependent(near_);
    join_dependent(far_);
    for (std::size_t m = 0; m < movers_.size(); ++m) {
      if (root(m) == m && !holds(m)) return std::nullopt;
    }
    return box_;
  }

 private:
  Index near_of(Index src, Index dst) const { return near_is_dst_ ? dst : src; }

  std::optional<Point> index_at(Index offset) const {
    auto found = indices_at(near_.layout, offset, 2);
    if (!found || found->indices.size() != 1) return std::nullopt;
    return std::move(found->indices[0]);
  }

  bool find_corner() {
    if (part_.src % e_ != 0 || part_.dst % e_ != 0 || part_.leaf.run % e_ != 0) return false;
    near_corner_ = near_of(part_.src, part_.dst) / e_;
    far_corner_ = near_of(part_.dst, part_.src) / e_;
    auto corner = index_at(near_corner_);
    if (!corner || far_.layout.offset(*corner) != far_corner_) return false;
    corner_ = *std::move(corner);
    return true;
  }

  bool find_movers() {
    const Leaf& leaf = part_.leaf;
    if (!add_loop(leaf.run / e_, e_, e_)) return false;
    for (std::uint32_t k = 0; k < leaf.loops; ++k) {
      if (!add_loop(leaf.loop[k].count, leaf.loop[k].src, leaf.loop[k].dst)) return false;
    }
    for (const Axis* axis : {&leaf.rows, &leaf.cols}) {
      const bool table = axis->src_table != nullptr || axis->dst_table != nullptr;
      if (!(table ? add_table(*axis) : add_loop(axis->count, axis->src, axis->dst))) return false;
    }
    return true;
  }

  // A loop in memory as loops over dimensions: it is split where it runs out of one digit into the next.
  bool add_loop(Index count, Index src, Index dst) {
    if (count == 1) return true;
    if (src % e_ != 0 || dst % e_ != 0) return false;
    Index near = near_of(src, dst) / e_;
    Index far = near_of(dst, src) / e_;
    while (count > 1) {
      Index next = 0;
      if (add_overflows(near_corner_, near, next)) return false;
      const auto second = index_at(next);
      if (!second) return false;
      Mover loop{.near_stride = near, .far_stride = far};
      Index step = 0;
      for (std::size_t d = 0; d < corner_.size(); ++d) {
        const Index own = (*second)[d] - corner_[d];
        if (own == 0) continue;
        if (step != 0) return false;
        step = own;
        loop.dim = d;
      }
      if (step == 0) return false;
      loop.unit = step < 0 ? -step : step;
      loop.sign = step < 0 ? -1 : 1;
      const Index room =
          step > 0 ? near_.layout.shape()[loop.dim] - 1 - corner_[loop.dim] : corner_[loop.dim];
      loop.count = straight(loop, std::min(count, room / loop.unit + 1));
      if (count % loop.count != 0) return false;
      count /= loop.count;
      if (mul_overflows(near, loop.count, near) || mul_overflows(far, loop.count, far)) return false;
      movers_.push_back(std::move(loop));
    }
    return true;
  }

  // How many steps of a loop, at most `most`, are the same step of the index. What is found here is only a
  // guess: it is proved later.
  Index straight(const Mover& loop, Index most) const {
    Point index = corner_;
    const auto holds = [&](Index i) {
      Index reach = 0;
      if (mul_overflows(i, loop.near_stride, reach) || add_overflows(reach, near_corner_, reach))
        return false;
      index[loop.dim] = corner_[loop.dim] + loop.sign * i * loop.unit;
      return near_.layout.offset(index) == reach;
    };
    if (holds(most - 1)) return most;
    Index good = 1;
    Index bad = most - 1;
    while (bad - good > 1) {
      const Index middle = good + (bad - good) / 2;
      (holds(middle) ? good : bad) = middle;
    }
    return bad;
  }

  bool add_table(const Axis& axis) {
    looked_at_ += axis.count;
    if (looked_at_ > kMostLookedAt) return false;
    Mover table;
    for (Index i = 0; i < axis.count; ++i) {
      const auto entry = [&](const Index* entries, Index stride) {
        return entries != nullptr ? entries[i] : i * stride;
      };
      const Index src = entry(axis.src_table, axis.src);
      const Index dst = entry(axis.dst_table, axis.dst);
      Index near = 0;
      if (src % e_ != 0 || dst % e_ != 0 || add_overflows(near_corner_, near_of(src, dst) / e_, near))
        return false;
      auto index = index_at(near);
      if (!index || far_.layout.offset(*index) - far_corner_ != near_of(dst, src) / e_) return false;
      for (std::size_t d = 0; d < corner_.size(); ++d) (*index)[d] -= corner_[d];
      table.steps.push_back(*std::move(index));
      table.near.push_back(near_of(src, dst) / e_);
      table.far.push_back(near_of(dst, src) / e_);
    }
    movers_.push_back(std::move(table));
    return true;
  }

  // Every dimension as a chain of runs: those of the loops, and in their gaps those that tables take, all of
  // whose values each table must have once.
  bool find_runs() {
    const std::size_t rank = corner_.size();
    std::vector<Index> first = corner_;
    for (Mover& m : movers_) {
      if (!m.is_table()) {
        if (m.sign < 0) first[m.dim] -= (m.count - 1) * m.unit;
        continue;
      }
      for (std::size_t d = 0; d < rank; ++d) {
        Index least = 0;
        for (const Point& step : m.steps) least = std::min(least, step[d]);
        first[d] += least;
      }
    }
    for (std::size_t d = 0; d < rank; ++d) {
      const std::optional<Index> length = chain_of(d);
      if (!length || first[d] < 0 || *length > near_.layout.shape()[d] - first[d]) return false;
      box_.push_back({first[d], first[d] + *length});
    }
    for (std::size_t m = 0; m < movers_.size(); ++m) {
      if (movers_[m].is_table() && !takes_all(m)) return false;
    }
    return std::ranges::none_of(runs_, [](const Run& run) { return run.mover == Run::kNobody; });
  }

  // The length of the dimension's interval; nothing where loops and gaps do not fit.
  std::optional<Index> chain_of(std::size_t dim) {
    std::vector<std::size_t> loops;
    Index widest = 0;  // step of a table
    for (std::size_t m = 0; m < movers_.size(); ++m) {
      if (!movers_[m].is_table()) {
        if (movers_[m].dim == dim) loops.push_back(m);
        continue;
      }
      const auto [low, high] =
          std::ranges::minmax(movers_[m].steps, {}, [&](const Point& step) { return step[dim]; });
      widest = std::max(widest, high[dim] - low[dim]);
    }
    std::ranges::sort(loops, {}, [&](std::size_t m) { return movers_[m].unit; });
    Index unit = 1;
    for (const std::size_t m : loops) {
      const Mover& loop = movers_[m];
      if (loop.unit % unit != 0) return std::nullopt;
      add_gap(dim, unit, loop.unit);
      runs_.push_back({dim, loop.unit, loop.count, m});
      if (mul_overflows(loop.unit, loop.count, unit)) return std::nullopt;
    }
    if (widest >= unit) {
      Index end = 0;
      if (mul_overflows(unit, widest / unit + 1, end)) return std::nullopt;
      add_gap(dim, unit, end);
      unit = end;
    }
    return unit;
  }

  // Values from `unit` to `end` that tables take, cut where the layouts are: several tables may share them.
  void add_gap(std::size_t dim, Index unit, Index end) {
    std::vector<Index> cuts;
    for (const Side* side : {&near_, &far_}) {
      for (const Summand& summand : side->sum) {
        for (const Window& w : summand.windows) {
          if (w.dim != dim) continue;
          cuts.push_back(w.from);
          cuts.push_back(w.to);
        }
      }
    }
    std::ranges::sort(cuts);
    cuts.push_back(end);
    for (const Index cut : cuts) {
      if (cut <= unit || cut > end || cut % unit != 0 || end % cut != 0) continue;
      for (; cut / unit % 2 == 0 && cut / unit > 2; unit *= 2)
        runs_.push_back({.dim = dim, .unit = unit, .count = 2});
      runs_.push_back({.dim = dim, .unit = unit, .count = cut / unit});
      unit = cut;
    }
  }

  bool takes_all(std::size_t m) {
    const Mover& table = movers_[m];
    Point least(corner_.size(), 0);
    for (const Point& step : table.steps) {
      for (std::size_t d = 0; d < step.size(); ++d) least[d] = std::min(least[d], step[d]);
    }
    std::vector<Index> seen(table.steps.size(), 0);
    std::vector<std::pair<Index, Index>> radix;  // of each run: entries below, used
    Index entries = 1;
    for (Run& run : runs_) {
      const bool used = std::ranges::any_of(table.steps, [&](const Point& step) {
        return (step[run.dim] - least[run.dim]) / run.unit % run.count != 0;
      });
      if (used && run.mover != Run::kNobody) return false;
      if (used) run.mover = m;
      radix.emplace_back(entries, used ? 1 : 0);
      if (used && mul_overflows(entries, run.count, entries)) return false;
    }
    if (entries != static_cast<Index>(table.steps.size())) return false;
    for (const Point& step : table.steps) {
      Index place = 0;
      Point rest = step;
      for (std::size_t d = 0; d < rest.size(); ++d) rest[d] -= least[d];
      const Point whole = rest;
      for (std::size_t k = 0; k < runs_.size(); ++k) {
        const Index value = whole[runs_[k].dim] / runs_[k].unit % runs_[k].count;
        place += radix[k].second * value * radix[k].first;
        rest[runs_[k].dim] -= value * runs_[k].unit;
      }
      if (std::ranges::any_of(rest, [](Index r) { return r != 0; })) return false;
      if (seen[static_cast<std::size_t>(place)]++ != 0) return false;
    }
    return true;
  }

  // What a run does to a summand, whatever the other runs do: nothing, a stride, or it depends.
  struct Effect {
    bool depends = false;
    Index stride = 0;
  };
  Effect effect(const Summand& summand, const Window& w, std::size_t k) const {
    const Run& run = runs_[k];
    const Index first = box_[run.dim].first;
    const Index end = run.unit * run.count;
    // The index modulo `block` takes the run's values without a carry.
    const auto stays_in = [&](Index block) {
      if (block % end == 0 && first % end == 0) return true;
      for (std::size_t j = k + 1; j < runs_.size() && runs_[j].dim == run.dim; ++j) {
        if (runs_[j].unit % block != 0) return false;
      }
      return first % block <= block - end;
    };
    if (stays_in(w.from)) return {};
    Effect out{.depends = true};
    if (w.to != kEndless && run.unit % w.to == 0) {
      out.depends = mul_overflows(w.slope, run.unit / w.to, out.stride);
    } else if (summand.stride && w.to != kEndless && run.unit % w.from == 0 &&
               (w.to >= near_.layout.shape()[run.dim] || stays_in(w.to))) {
      out.depends = mul_overflows(*summand.stride, run.unit / w.from, out.stride);
    }
    return out;
  }

  std::size_t root(std::size_t m) const {
    while (classes_[m] != m) m = classes_[m];
    return m;
  }

  // Movers whose values some summand mixes, and loops that are no stride, form classes.
  void join_dependent(const Side& side) {
    if (classes_.empty()) {
      for (std::size_t m = 0; m < movers_.size(); ++m) classes_.push_back(m);
      mixed_.assign(movers_.size(), false);
    }
    for (const Summand& summand : side.sum) {
      std::optional<std::size_t> before;
      for (std::size_t k = 0; k < runs_.size(); ++k) {
        const bool depends = std::ranges::any_of(summand.windows, [&](const Window& w) {
          return w.dim == runs_[k].dim && effect(summand, w, k).depends;
        });
        if (!depends) continue;
        mixed_[runs_[k].mover] = true;
        if (before) classes_[root(runs_[k].mover)] = root(*before);
        before = runs_[k].mover;
      }
    }
  }

  // Do offsets move as the part says along the movers of a class, together?
  bool holds(std::size_t of) {
    std::vector<std::size_t> members;
    bool mixed = false;
    for (std::size_t m = 0; m < movers_.size(); ++m) {
      if (root(m) != of) continue;
      members.push_back(m);
      mixed = mixed || mixed_[m];
    }
    // The entries of a table were looked at when they were turned into indices.
    if (members.size() == 1 && movers_[of].is_table()) return true;
    if (!mixed) return has_strides(of);
    Point index = corner_;
    return all_hold(members, 0, index, near_corner_, far_corner_);
  }

  bool has_strides(std::size_t m) const {
    const Mover& loop = movers_[m];
    for (std::size_t k = 0; k < runs_.size(); ++k) {
      if (runs_[k].mover != m) continue;
      if (stride(near_, k) != loop.sign * loop.near_stride || stride(far_, k) != loop.sign * loop.far_stride)
        return false;
    }
    return true;
  }

  std::optional<Index> stride(const Side& side, std::size_t k) const {
    Index sum = 0;
    for (const Summand& summand : side.sum) {
      for (const Window& w : summand.windows) {
        if (w.dim == runs_[k].dim && add_overflows(sum, effect(summand, w, k).stride, sum))
          return std::nullopt;
      }
    }
    return sum;
  }

  bool all_hold(std::span<const std::size_t> members, std::size_t m, Point& index, Index near, Index far) {
    if (m == members.size()) {
      if (++looked_at_ > kMostLookedAt) return false;
      return near_.layout.offset(index) == near && far_.layout.offset(index) == far;
    }
    const Mover& mover = movers_[members[m]];
    const Index count = mover.is_table() ? static_cast<Index>(mover.steps.size()) : mover.count;
    const Point before = index;
    for (Index i = 0; i < count; ++i) {
      const auto entry = static_cast<std::size_t>(i);
      if (mover.is_table()) {
        for (std::size_t d = 0; d < index.size(); ++d) index[d] = before[d] + mover.steps[entry][d];
      } else {
        index[mover.dim] = before[mover.dim] + mover.sign * i * mover.unit;
      }
      const Index near_step = mover.is_table() ? mover.near[entry] : i * mover.near_stride;
      const Index far_step = mover.is_table() ? mover.far[entry] : i * mover.far_stride;
      if (!all_hold(members, m + 1, index, near + near_step, far + far_step)) return false;
    }
    index = before;
    return true;
  }

  Index e_;
  const Part& part_;
  const Side& near_;
  const Side& far_;
  bool near_is_dst_;
  Index near_corner_ = 0;
  Index far_corner_ = 0;
  Point corner_;
  std::vector<Mover> movers_;
  std::vector<Run> runs_;
  std::vector<Interval> box_;
  std::vector<std::size_t> classes_;
  std::vector<bool> mixed_;
  Index looked_at_ = 0;
};

bool disjoint(const std::vector<Interval>& a, const std::vector<Interval>& b) {
  for (std::size_t d = 0; d < a.size(); ++d) {
    if (a[d].last <= b[d].first || b[d].last <= a[d].first) return true;
  }
  return false;
}

// Digits say most plainly what adds up.
Layout in_digits(const Layout& layout) {
  const auto digits = layout.known_digits() == nullptr ? digits_of(layout) : std::nullopt;
  if (!digits) return layout;
  const auto plain = Layout::make(digits->to_index_map());
  return plain && plain->known_digits() != nullptr ? *plain : layout;
}

}  // namespace

bool prove(const State& state, const Layout& written_src, const Layout& written_dst) {
  if (written_dst.size() == 0 || state.parts.size() > kMostParts) return false;
  const Layout src = in_digits(written_src);
  const Layout dst = in_digits(written_dst);
  const bool by_dst = turns_around(dst);
  if (!by_dst && !turns_around(src)) return false;
  const Side from(src);
  const Side to(dst);
  Index covered = 0;
  std::vector<std::vector<Interval>> boxes;
  for (const Part& part : state.parts) {
    if (part.leaf.kind == Kind::fill) continue;
    auto box = PartProof(state, part, by_dst ? to : from, by_dst ? from : to, by_dst).box();
    if (!box) return false;
    Index count = 1;
    for (const Interval& i : *box) count *= i.last - i.first;
    // Boxes without a common index, whose sizes add up to all: each index is in one of them.
    for (const auto& other : boxes) {
      if (!disjoint(*box, other)) return false;
    }
    covered += count;
    boxes.push_back(*std::move(box));
  }
  return covered == dst.size();
}

}  // namespace tessera::moving
