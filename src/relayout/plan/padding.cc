// SPDX-License-Identifier: Apache-2.0
#include "relayout/plan/padding.h"

#include <algorithm>
#include <cstring>

#include "notation/offset_spread.h"
#include "relayout/caches.h"
#include "relayout/limits.h"
#include "relayout/plan/add_part.h"
#include "relayout/plan/plan.h"
#include "relayout/run.h"

namespace tessera::moving {
namespace {

// The padding of nested digits is a disjoint union of boxes of offsets: the gaps between the values of a
// digit, and the digit values beyond the extents. Each box becomes one part.
class PaddingParts {
 public:
  PaddingParts(State& state, const Digits& dst, Index elements)
      : state_(state), dst_(dst), elements_(elements), e_(state.element_bytes) {
    auto& pattern = fill_.pattern;
    for (std::size_t i = 0; i < 16; ++i) {
      pattern[i] = state.options.padding == Padding::value && e_ <= 16
                       ? state.options.fill[i % static_cast<std::size_t>(e_)]
                       : std::byte{0};
    }
    // Kernels repeat the 16-byte pattern along a run. Runs may only be merged if the pattern consists of
    // whole elements, or all of its bytes are equal.
    const bool uniform = std::ranges::all_of(pattern, [&](std::byte b) { return b == pattern[0]; });
    fixed_run_ = !uniform && 16 % e_ != 0;
  }

  // True if there are too many parts; then the caller removes them.
  bool too_many() const { return added_ > kRelayoutLimits.plan.padding_parts; }

  void whole_buffer() { add_box({{.dim = 0, .div = 1, .ext = elements_, .stride = 1}}, 0); }

  void add() {
    std::vector<Digit> digits(dst_.digits().begin(), dst_.digits().end());
    std::ranges::sort(digits, {}, &Digit::stride);
    // Number of elements from the first to the last offset of the digits so far.
    Index used = 1;
    for (std::size_t k = 0; k < digits.size(); ++k) {
      const Digit& d = digits[k];
      if (d.stride > used) {
        std::vector<Digit> box(digits.begin() + static_cast<std::ptrdiff_t>(k), digits.end());
        box[0].ext -= 1;
        box.push_back({.ext = d.stride - used, .stride = 1});
        add_box(box, dst_.base() + used);
      }
      used += (d.ext - 1) * d.stride;
    }
    if (dst_.base() > 0) add_box({{.ext = dst_.base(), .stride = 1}}, 0);
    const Index end = dst_.base() + used;
    if (elements_ > end) add_box({{.ext = elements_ - end, .stride = 1}}, end);
    add_cropped(0, {}, dst_.base());
  }

 private:
  // Boxes in which dimension `dim` is the first whose index is outside the shape. `valid` has the digits of
  // the earlier dimensions.
  void add_cropped(std::size_t dim, const std::vector<Digit>& valid, Index base) {
    if (dim == dst_.box().size() || too_many()) return;
    const auto chain = dst_.digits(dim);
    const auto with = [&](std::size_t k, Index ext) {
      std::vector<Digit> box = valid;
      box.insert(box.end(), chain.begin(), chain.begin() + static_cast<std::ptrdiff_t>(k));
      if (k < chain.size()) box.push_back({.ext = ext, .stride = chain[k].stride});
      return box;
    };
    const Index extent = dst_.box()[dim];
    if (chain.empty() || chain.back().div * chain.back().ext == extent) {
      add_cropped(dim + 1, with(chain.size(), 0), base);
      return;
    }
    Index last = extent - 1;
    Index at = base;
    for (std::size_t k = chain.size(); k-- > 0;) {
      const Digit& d = chain[k];
      const Index value = last / d.div;
      if (value + 1 < d.ext) {
        std::vector<Digit> box = with(k, d.ext - value - 1);
        for (std::size_t later = dim + 1; later < dst_.box().size(); ++later) {
          const auto all = dst_.digits(later);
          box.insert(box.end(), all.begin(), all.end());
        }
        add_box(box, at + (value + 1) * d.stride);
      }
      at += value * d.stride;
      last -= value * d.div;
    }
    // Indices inside the shape: continue with the next dimension.
    Index rest = extent;
    at = base;
    for (std::size_t k = chain.size(); k-- > 0 && rest > 0;) {
      const Index whole = rest / chain[k].div;
      if (whole > 0) add_cropped(dim + 1, with(k, whole), at);
      at += whole * chain[k].stride;
      rest -= whole * chain[k].div;
    }
  }

  // The buffer may end inside the box, because the last digit values are cropped.
  void add_box(std::vector<Digit> digits, Index base) {
    Index last = base;
    for (const Digit& d : digits) {
      if (d.ext == 0) return;
      last += (d.ext - 1) * d.stride;
    }
    if (base >= elements_) return;
    if (last < elements_) return add_whole_box(digits, base);
    const auto widest = std::ranges::max_element(digits, {}, &Digit::stride);
    const Digit top = *widest;
    digits.erase(widest);
    const Index below = last - (top.ext - 1) * top.stride;
    Index whole = 0;
    if (below < elements_) {
      whole = std::min(top.ext, (elements_ - 1 - below) / top.stride + 1);
      std::vector<Digit> inside = digits;
      inside.push_back({.ext = whole, .stride = top.stride});
      add_whole_box(inside, base);
    }
    for (; whole < top.ext && base + whole * top.stride < elements_ && !too_many(); ++whole)
      add_box(digits, base + whole * top.stride);
  }

  void add_whole_box(const std::vector<Digit>& digits, Index base) {
    // A fill reads no source; equal strides on both sides let normalize() merge contiguous gaps into runs.
    Nest nest{.src = 0, .dst = base * e_, .run = e_};
    for (const Digit& d : digits) nest.add({d.ext, d.stride * e_, d.stride * e_});
    normalize(nest, fixed_run_);
    add_part(state_, nest, fill_);
    ++added_;
  }

  State& state_;
  const Digits& dst_;
  Index elements_;
  Index e_;
  mover::Fill fill_;
  bool fixed_run_ = false;
  int added_ = 0;
};

// True if the padding of the digits is a union of boxes.
bool has_boxes(const Digits* dst) {
  return dst != nullptr && !dst->empty_box() && detail::is_nested(*dst) &&
         std::ranges::all_of(dst->digits(), [](const Digit& d) { return d.stride > 0; }) && dst->base() >= 0;
}

// (stride, count) of the part's steps in the destination, sorted, with steps that continue each other merged.
std::vector<std::pair<Index, Index>> steps_of(const Sweep& sweep) {
  std::vector<std::pair<Index, Index>> all;
  const auto add = [&](Index count, Index stride) {
    if (count > 1) all.emplace_back(stride, count);
  };
  // An interleave writes its rows and columns as one contiguous stretch.
  if (!sweep.is<mover::Interleave>()) {
    add(sweep.rows.count, sweep.rows.dst);
    add(sweep.cols.count, sweep.cols.dst);
  }
  for (std::uint32_t k = 0; k < sweep.loops; ++k) add(sweep.loop[k].count, sweep.loop[k].dst);
  std::ranges::sort(all);
  std::vector<std::pair<Index, Index>> steps;
  for (const auto& [stride, count] : all) {
    if (!steps.empty() && stride == steps.back().first * steps.back().second) {
      steps.back().second *= count;
    } else {
      steps.emplace_back(stride, count);
    }
  }
  return steps;
}

// Decides whether slack lies in padding.
class SlackFinder {
 public:
  SlackFinder(const Digits& dst, Index element_bytes, Index elements)
      : dst_(dst), e_(element_bytes), elements_(elements) {
    boxes_.element_bytes = e_;
    PaddingParts parts(boxes_, dst, elements);
    parts.add();
    if (parts.too_many()) boxes_.parts.clear();
  }

  // True if the `slack` bytes after each contiguous stretch of the part are padding. May be false even if
  // they are.
  bool has(const PlanPart& part, Index slack) const { return in_gap(part, slack) || begins_box(part, slack); }

 private:
  // A contiguous stretch as long as all digits below a gap together ends where the gap begins.
  bool in_gap(const PlanPart& part, Index slack) const {
    std::vector<Digit> digits(dst_.digits().begin(), dst_.digits().end());
    std::ranges::sort(digits, {}, &Digit::stride);
    const Index last = dst_bytes(part, {0, part.units}).end - part.sweep.slack();
    if (last + slack > elements_ * e_) return false;
    Index used = 1;
    bool found = false;
    for (const Digit& d : digits) {
      // The last stretch before a later gap ends at that gap, so the slack must fit in every later gap.
      found = found || (d.stride > used && stretch_of(part.sweep) == used * e_);
      if (found && slack > (d.stride - used) * e_) return false;
      used += (d.ext - 1) * d.stride;
    }
    return found;
  }

  // A padding box begins after the first stretch and has the same steps as the part.
  bool begins_box(const PlanPart& part, Index slack) const {
    const auto steps = steps_of(part.sweep);
    return std::ranges::any_of(boxes_.parts, [&](const PlanPart& box) {
      return box.dst == part.dst + stretch_of(part.sweep) && box.sweep.run >= slack &&
             steps_of(box.sweep) == steps;
    });
  }

  const Digits& dst_;
  Index e_;
  Index elements_;
  State boxes_;
};

}  // namespace

void add_slack(State& state, const Digits* dst, Index elements) {
  if (!state.stream || !has_boxes(dst) || elements > kIndexMax / state.element_bytes) return;
  const SlackFinder finder(*dst, state.element_bytes, elements);
  for (PlanPart& part : state.parts) {
    Sweep& sweep = part.sweep;
    if (slack_in(sweep.mover) == nullptr) continue;
    const Index slack = (kLine - stretch_of(sweep) % kLine) % kLine;
    // Slack fills a line only if every stretch begins at a line boundary.
    const bool on_lines = part.dst % kLine == 0 && std::ranges::all_of(steps_of(sweep), [](const auto& step) {
                            return step.first % kLine == 0;
                          });
    if (slack == 0 || !on_lines || !finder.has(part, slack)) continue;
    *slack_in(sweep.mover) = slack;
    sweep.policy.stream = sweep.policy.source_order = true;
    state.dst.end = std::max(state.dst.end, dst_bytes(part, {0, part.units}).end);
  }
}

bool slack_is_padding(const PlanPart& part, const Layout& dst, Index element_bytes) {
  const auto digits = digits_of(dst);
  const auto elements = dst.buffer_size();
  return digits && elements && has_boxes(&*digits) && *elements <= kIndexMax / element_bytes &&
         SlackFinder(*digits, element_bytes, *elements).has(part, part.sweep.slack());
}

void add_padding(State& state, const Digits* dst, Index elements) {
  const std::size_t data = state.parts.size();
  if (has_boxes(dst)) {
    PaddingParts parts(state, *dst, elements);
    parts.add();
    if (!parts.too_many()) return;
    state.parts.resize(data);
  }
  const Digits none;
  if (elements > 0) PaddingParts(state, none, elements).whole_buffer();
  std::rotate(state.parts.begin(), state.parts.begin() + static_cast<std::ptrdiff_t>(data),
              state.parts.end());
  state.in_order = true;
}

}  // namespace tessera::moving
