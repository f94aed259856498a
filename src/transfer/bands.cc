// SPDX-License-Identifier: Apache-2.0
#include "transfer/bands.h"

#include <algorithm>
#include <cstdlib>

namespace tessera::transfer {
namespace {

class BandCutter {
 public:
  BandCutter(const Digits& source, const Digits& destination, Index most)
      : source_(source), destination_(destination), most_(most) {
    steps_.assign(destination.digits().begin(), destination.digits().end());
    std::ranges::stable_sort(steps_, std::greater<>(), [](const Digit& d) { return std::abs(d.stride); });
  }

  bool cut(const IndexBox& box, std::size_t level) {
    const Interval range = offset_range(destination_, box);
    if (range.upper - range.lower < most_) {
      bands_.push_back({range.lower, 0, box});
      return true;
    }
    // The next digit, by decreasing stride, with more than one value in the box.
    while (level < steps_.size() && value_count(steps_[level], box) == 1) ++level;
    if (level == steps_.size()) return false;  // several elements share an offset
    const Digit& digit = steps_[level];
    const auto dim = static_cast<std::size_t>(digit.dim);
    const Index lo = box.lo[dim];
    const Index hi = box.hi[dim];
    // The digit's values must be intervals of the index, and the offsets of the remaining digits must fit
    // between two values.
    if (digit.div * digit.ext < hi && lo / (digit.div * digit.ext) != (hi - 1) / (digit.div * digit.ext))
      return false;
    IndexBox one = box;
    one.hi[dim] = std::min(hi, (lo / digit.div + 1) * digit.div);
    const Interval inner = offset_range(destination_, one);
    const Index span = inner.upper - inner.lower + 1;
    const Index step = std::abs(digit.stride);
    if (span > step) return false;
    return cut_along(digit, box, level, span);
  }

  std::vector<Band> take() { return std::move(bands_); }

 private:
  // Cuts where the digit changes, starting at the lowest offset. Each band takes as many values of the digit
  // as fit.
  bool cut_along(const Digit& digit, const IndexBox& box, std::size_t level, Index span) {
    const auto dim = static_cast<std::size_t>(digit.dim);
    Index group = span > most_ ? 1 : (most_ - span) / std::abs(digit.stride) + 1;
    // Round down to a position at which the source's digits change too, if that keeps more than half of the
    // band.
    const Index aligned = alignment(source_, destination_, dim);
    if (aligned > digit.div && aligned / digit.div <= group) group -= group % (aligned / digit.div);
    const Index block = digit.div * group;
    IndexBox part = box;
    if (digit.stride > 0) {
      for (part.hi[dim] = box.lo[dim]; part.hi[dim] < box.hi[dim];) {
        part.lo[dim] = part.hi[dim];
        part.hi[dim] = std::min(box.hi[dim], (part.lo[dim] / block + 1) * block);
        if (!cut(part, level)) return false;
      }
    } else {
      for (part.lo[dim] = box.hi[dim]; part.lo[dim] > box.lo[dim];) {
        part.hi[dim] = part.lo[dim];
        part.lo[dim] = std::max(box.lo[dim], (part.hi[dim] - 1) / block * block);
        if (!cut(part, level)) return false;
      }
    }
    return true;
  }

  const Digits& source_;
  const Digits& destination_;
  Index most_;
  std::vector<Digit> steps_;
  std::vector<Band> bands_;
};

}  // namespace

std::optional<std::vector<Band>> cut_into_bands(const Digits& source, const Digits& destination,
                                                Index buffer_elements, Index most_elements) {
  const IndexBox whole = IndexBox::whole(destination.box());
  if (buffer_elements <= most_elements || whole.empty())
    return std::vector<Band>{{0, buffer_elements, whole}};
  BandCutter cutter(source, destination, most_elements);
  if (!cutter.cut(whole, 0)) return std::nullopt;
  std::vector<Band> bands = cutter.take();
  if (bands.front().begin > 0) bands.insert(bands.begin(), {0, 0, std::nullopt});
  for (std::size_t i = 0; i + 1 < bands.size(); ++i) {
    bands[i].end = bands[i + 1].begin;
    if (bands[i].end < bands[i].begin) return std::nullopt;
  }
  bands.back().end = buffer_elements;
  return bands;
}

}  // namespace tessera::transfer
