// SPDX-License-Identifier: Apache-2.0
#include "transfer/bands.h"

#include <algorithm>
#include <cstdlib>

namespace tessera::transfer {
namespace {

class Cutter {
 public:
  Cutter(const Digits& source, const Digits& destination, Index most)
      : source_(source), destination_(destination), most_(most) {
    steps_.assign(destination.digits().begin(), destination.digits().end());
    std::ranges::stable_sort(steps_, std::greater<>(), [](const Digit& d) { return std::abs(d.stride); });
  }

  bool cut(const IndexBox& box, std::size_t level) {
    const OffsetRange range = offset_range(destination_, box);
    if (range.max - range.min < most_) {
      bands_.push_back({range.min, 0, box});
      return true;
    }
    // The next digit, slowest first, that takes more than one value here.
    while (level < steps_.size() && value_count(steps_[level], box) == 1) ++level;
    if (level == steps_.size()) return false;  // several elements, one offset: no business of bands
    const Digit& digit = steps_[level];
    const auto dim = static_cast<std::size_t>(digit.dim);
    const Index lo = box.lo[dim];
    const Index hi = box.hi[dim];
    // Its values must be intervals of the index, and what lies below must fit between two of them.
    if (digit.div * digit.ext < hi && lo / (digit.div * digit.ext) != (hi - 1) / (digit.div * digit.ext))
      return false;
    IndexBox one = box;
    one.hi[dim] = std::min(hi, (lo / digit.div + 1) * digit.div);
    const OffsetRange inner = offset_range(destination_, one);
    const Index span = inner.max - inner.min + 1;
    const Index step = std::abs(digit.stride);
    if (span > step) return false;
    return digit.stride > 0 ? cut_upwards(box, level, dim, span) : cut_downwards(box, level, dim);
  }

  std::vector<Band> take() { return std::move(bands_); }

 private:
  bool cut_upwards(const IndexBox& box, std::size_t level, std::size_t dim, Index span) {
    const Digit& digit = steps_[level];
    Index group = span > most_ ? 1 : (most_ - span) / digit.stride + 1;
    // The source is cut at its own borders if that costs less than half of the band.
    const Index aligned = alignment(source_, destination_, dim);
    if (aligned > digit.div && aligned / digit.div <= group) group -= group % (aligned / digit.div);
    IndexBox part = box;
    for (Index at = box.lo[dim]; at < box.hi[dim];) {
      const Index block = digit.div * group;
      part.lo[dim] = at;
      at = std::min(box.hi[dim], (at / block + 1) * block);
      part.hi[dim] = at;
      if (!cut(part, level)) return false;
    }
    return true;
  }

  bool cut_downwards(const IndexBox& box, std::size_t level, std::size_t dim) {
    const Digit& digit = steps_[level];
    IndexBox part = box;
    for (Index at = box.hi[dim]; at > box.lo[dim];) {
      part.hi[dim] = at;
      at = std::max(box.lo[dim], (at - 1) / digit.div * digit.div);
      part.lo[dim] = at;
      if (!cut(part, level + 1)) return false;
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
  Cutter cutter(source, destination, most_elements);
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
