// SPDX-License-Identifier: Apache-2.0
#include "relayout/prove.h"

#include <algorithm>
#include <vector>

#include "relayout/build.h"

namespace tessera::relayout {
namespace {

// A loop in elements: `ext` steps of dst in the destination, of src in the source.
struct Step {
  Index ext = 1;
  Index src = 0;
  Index dst = 0;
};

// A loop over one dimension's index: `count` values, `unit` apart, upwards (sign 1) or downwards (-1).
struct IndexStep {
  std::size_t dim = 0;
  Index unit = 1;
  Index count = 1;
  Index sign = 1;
  Index src = 0;
  Index reach() const { return (count - 1) * unit; }
};

Index width(const Digit* d) { return d->stride < 0 ? -d->stride : d->stride; }

// The indices one part copies, in one dimension: all of [first, last).
struct Interval {
  Index first = 0;
  Index last = 0;
};

class Prover {
 public:
  Prover(const State& state, const Digits& src, const Digits& dst) : state_(state), src_(src), dst_(dst) {
    for (const Digit& d : dst.digits()) by_stride_.push_back(&d);
    std::ranges::sort(by_stride_, {}, width);
  }

  bool prove() {
    const auto box = dst_.box();
    Index size = 1;
    for (const Index extent : box) {
      if (mul_overflows(size, extent, size)) return false;
    }
    if (!is_nested(dst_)) return false;
    Index covered = 0;
    std::vector<std::vector<Interval>> boxes;
    for (const Part& part : state_.parts) {
      if (part.leaf.kind == Kind::fill) continue;
      std::vector<Interval> intervals;
      if (!indices_of(part, intervals)) return false;
      Index count = 1;
      for (const Interval& i : intervals) count *= i.last - i.first;
      covered += count;
      // Boxes without a common index, whose sizes add up to all: each index is in one of them.
      for (const auto& other : boxes) {
        if (!disjoint(intervals, other)) return false;
      }
      boxes.push_back(std::move(intervals));
    }
    return covered == size;
  }

 private:
  static bool disjoint(const std::vector<Interval>& a, const std::vector<Interval>& b) {
    for (std::size_t d = 0; d < a.size(); ++d) {
      if (a[d].last <= b[d].first || b[d].last <= a[d].first) return true;
    }
    return false;
  }

  // The box of indices that a part copies, each from its place to its place.
  bool indices_of(const Part& part, std::vector<Interval>& intervals) {
    std::vector<Step> steps;
    std::vector<Index> corner;
    if (!steps_of(part, steps) || part.dst % state_.element_bytes != 0 ||
        !decode(part.dst / state_.element_bytes, corner) ||
        part.src != src_.offset(corner) * state_.element_bytes)
      return false;
    std::vector<IndexStep> index_steps;
    for (const Step& step : steps) {
      if (!to_index(step, index_steps)) return false;
    }
    std::ranges::sort(index_steps, [](const IndexStep& a, const IndexStep& b) {
      return std::pair(a.dim, a.unit) < std::pair(b.dim, b.unit);
    });
    for (std::size_t dim = 0; dim < corner.size(); ++dim) {
      Index length = 1;
      Index first = corner[dim];
      for (const IndexStep& step : index_steps) {
        if (step.dim != dim) continue;
        if (step.unit != length) return false;  // a gap, or an index twice
        length *= step.count;
        if (step.sign < 0) first -= step.reach();
      }
      intervals.push_back({first, first + length});
      if (first < 0 || intervals.back().last > dst_.box()[dim]) return false;
    }
    return follows(dst_, corner, index_steps, nullptr) && follows(src_, corner, index_steps, &src_of_step);
  }

  static Index src_of_step(const IndexStep& step) { return step.src; }

  bool steps_of(const Part& part, std::vector<Step>& steps) const {
    const Index e = state_.element_bytes;
    const Leaf& leaf = part.leaf;
    bool whole = leaf.run % e == 0;
    const auto add = [&](Index ext, Index src, Index dst) {
      whole = whole && src % e == 0 && dst % e == 0;
      if (ext > 1) steps.push_back({ext, src / e, dst / e});
    };
    if (!whole) return false;
    add(leaf.run / e, e, e);
    for (std::uint32_t k = 0; k < leaf.loops; ++k)
      add(leaf.loop[k].count, leaf.loop[k].src, leaf.loop[k].dst);
    for (const Axis* axis : {&leaf.rows, &leaf.cols}) {
      if (axis->src_table == nullptr && axis->dst_table == nullptr) {
        add(axis->count, axis->src, axis->dst);
        continue;
      }
      // Tables are loops that were written out: their digits on both sides, where they are cut alike.
      const auto digits = [&](const Index* table, Index stride) -> std::vector<Digit> {
        if (table == nullptr) return {{.div = 1, .ext = axis->count, .stride = stride}};
        if (table[0] != 0) return {};
        return digitize(0, {table, static_cast<std::size_t>(axis->count)}).value_or(std::vector<Digit>{});
      };
      const auto src = digits(axis->src_table, axis->src);
      const auto dst = digits(axis->dst_table, axis->dst);
      Chain chain;
      if (src.empty() || dst.empty() || !refine(axis->count, src, dst, 1, chain)) return false;
      Index product = 1;
      for (const Segment& segment : chain.segments) {
        if (segment.table) return false;
        add(segment.count, segment.src, segment.dst);
        product *= segment.count;
      }
      if (product != axis->count) return false;
    }
    return whole;
  }

  // The index at a destination offset, from the widest stride down.
  bool decode(Index offset, std::vector<Index>& index) const {
    index.assign(dst_.box().size(), 0);
    // A digit with a negative stride counts from its other end.
    Index rest = offset - dst_.base();
    for (const Digit* d : by_stride_) rest -= d->stride < 0 ? (d->ext - 1) * d->stride : 0;
    if (rest < 0) return false;
    for (std::size_t k = by_stride_.size(); k-- > 0;) {
      const Digit& d = *by_stride_[k];
      const Index steps = std::min(rest / width(&d), d.ext - 1);
      rest -= steps * width(&d);
      index[static_cast<std::size_t>(d.dim)] += (d.stride < 0 ? d.ext - 1 - steps : steps) * d.div;
    }
    if (rest != 0) return false;
    for (std::size_t dim = 0; dim < index.size(); ++dim) {
      if (index[dim] >= dst_.box()[dim]) return false;
    }
    return true;
  }

  // A step in the destination as steps of dimensions: split where it runs out of one digit into the next.
  bool to_index(Step step, std::vector<IndexStep>& index_steps) const {
    while (step.ext > 1) {
      const Digit* digit = nullptr;
      for (const Digit* d : by_stride_) {
        if (width(d) <= step.dst) digit = d;
      }
      if (digit == nullptr || step.dst % width(digit) != 0) return false;
      const Index times = step.dst / width(digit);
      if (times >= digit->ext) return false;
      const Index room = ceil_div(digit->ext, times);
      const Index count = std::min(step.ext, room);
      if (step.ext % count != 0 || (count < step.ext && digit->ext % times != 0)) return false;
      index_steps.push_back({static_cast<std::size_t>(digit->dim), digit->div * times, count,
                             digit->stride < 0 ? -1 : 1, step.src});
      if (count == step.ext) return true;
      if (mul_overflows(step.dst, count, step.dst) || mul_overflows(step.src, count, step.src)) return false;
      step.ext /= count;
    }
    return true;
  }

  // Do the offsets of `form` move by equal strides along the steps (by those of `expected`, if given), and
  // never carry from one digit into the next?
  static bool follows(const Digits& form, const std::vector<Index>& corner,
                      const std::vector<IndexStep>& index_steps, Index (*expected)(const IndexStep&)) {
    for (std::size_t dim = 0; dim < corner.size(); ++dim) {
      const auto chain = form.digits(dim);
      // The smallest and the largest value of each digit.
      std::vector<Interval> values;
      for (const Digit& d : chain) {
        const Index value = corner[dim] / d.div % d.ext;
        values.push_back({value, value});
      }
      for (IndexStep step : index_steps) {
        if (step.dim != dim) continue;
        while (step.count > 1) {
          const Digit* d = digit_at(chain, step.unit);
          if (d == nullptr || step.unit % d->div != 0) return false;
          const Index times = step.unit / d->div;
          const Index room = times < d->ext ? ceil_div(d->ext, times) : 0;
          const Index count = std::min(step.count, room);
          if (count < 2 || step.count % count != 0 || (count < step.count && d->ext % times != 0))
            return false;
          if (expected != nullptr && expected(step) != step.sign * d->stride * times) return false;
          Interval& value = values[static_cast<std::size_t>(d - chain.data())];
          (step.sign < 0 ? value.first : value.last) += step.sign * (count - 1) * times;
          step.unit *= count;
          step.src *= count;
          step.count /= count;
        }
      }
      for (std::size_t k = 0; k < chain.size(); ++k) {
        if (values[k].first < 0 || values[k].last >= chain[k].ext) return false;
      }
    }
    return true;
  }

  const State& state_;
  const Digits& src_;
  const Digits& dst_;
  std::vector<const Digit*> by_stride_;
};

}  // namespace

bool prove(const State& state, const Digits& src, const Digits& dst) {
  return Prover(state, src, dst).prove();
}

}  // namespace tessera::relayout
