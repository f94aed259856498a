// SPDX-License-Identifier: Apache-2.0
#include "relayout/plan/refine.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "relayout/limits.h"

namespace tessera::moving {

const Digit* digit_at(std::span<const Digit> digits, Index unit) {
  const Digit* found = nullptr;
  for (const Digit& d : digits) {
    if (d.div <= unit) found = &d;
  }
  return found;
}

bool is_clean(std::span<const Digit> digits, Index unit) {
  const Digit* d = digit_at(digits, unit);
  if (d == nullptr) return true;
  if (unit % d->div != 0) return false;
  const bool top = d == &digits.back();
  return top || (d + 1)->div % unit == 0;
}

namespace {

// The units at which the digits of both sides can be split, sorted; each divides the next.
class Cuts {
 public:
  // Returns false if there are too many units.
  bool find(Index extent, std::span<const Digit> src, std::span<const Digit> dst) {
    if (src.size() + dst.size() > kCuts) return false;
    // Merges the two sorted lists.
    std::size_t s = 0;
    std::size_t d = 0;
    bool divide = true;
    while (s < src.size() || d < dst.size()) {
      const bool from_src = d == dst.size() || (s < src.size() && src[s].div <= dst[d].div);
      const Index cut = from_src ? src[s++].div : dst[d++].div;
      if (count_ > 0 && cut == cuts_[count_ - 1]) continue;
      if (count_ > 0 && cut % cuts_[count_ - 1] != 0) divide = false;
      if (cut < extent) cuts_[count_++] = cut;
    }
    return divide || find_common(extent, src, dst);
  }
  std::span<const Index> all() const { return {cuts_.data(), count_}; }

 private:
  static constexpr std::size_t kCuts = kRelayoutLimits.nest_dims;

  // If the units of the two sides do not divide each other, both sides may still split at the common
  // multiples of their units.
  bool find_common(Index extent, std::span<const Digit> src, std::span<const Digit> dst) {
    const std::size_t own = count_;
    std::array<Index, kCuts + kCuts * kCuts / 4> found;
    std::copy_n(cuts_.begin(), own, found.begin());
    std::size_t all = own;
    for (const Digit& a : src) {
      for (const Digit& b : dst) {
        Index both = 0;
        if (a.div % b.div == 0 || b.div % a.div == 0) continue;
        if (!mul_overflows(a.div / std::gcd(a.div, b.div), b.div, both) && both < extent) found[all++] = both;
      }
    }
    std::sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(all));
    count_ = 0;
    for (std::size_t k = 0; k < all; ++k) {
      const Index cut = found[k];
      if (count_ > 0 && (cut == cuts_[count_ - 1] || cut % cuts_[count_ - 1] != 0)) continue;
      if (!is_clean(src, cut) || !is_clean(dst, cut)) continue;
      if (count_ == kCuts) return false;
      cuts_[count_++] = cut;
    }
    return true;
  }

  std::array<Index, kCuts> cuts_;
  std::size_t count_ = 0;
};

}  // namespace

bool refine(Index extent, std::span<const Digit> src, std::span<const Digit> dst, Index element_bytes,
            RefinedDim& chain) {
  chain.extent = extent;
  chain.segments.clear();
  Cuts cuts;
  if (!cuts.find(extent, src, dst)) return false;
  const auto units = cuts.all();
  for (std::size_t k = 0; k < units.size(); ++k) {
    const Index unit = units[k];
    const bool top = k + 1 == units.size();
    RefinedDigit segment = {.unit = unit, .count = top ? ceil_div(extent, unit) : units[k + 1] / unit};
    const Digit* s = digit_at(src, unit);
    const Digit* d = digit_at(dst, unit);
    // The segment has a stride if each side has one digit up to the next cut.
    const Index last = top ? extent - 1 : units[k + 1] - 1;
    if (s == digit_at(src, last) && d == digit_at(dst, last)) {
      segment.src = s == nullptr ? 0 : s->stride * (unit / s->div) * element_bytes;
      segment.dst = d == nullptr ? 0 : d->stride * (unit / d->div) * element_bytes;
    } else {
      segment.table = true;
      if (segment.count > kRelayoutLimits.plan.table_entries) return false;
    }
    chain.segments.push_back(segment);
  }
  return true;
}

DigitRange digit_range_at(const RefinedDim& chain, Index corner) {
  const Index rest = chain.extent - corner;
  if (chain.segments.empty() || rest == 0) return {corner, 0, rest};
  // The highest segment that still has at least one whole step.
  std::size_t k = chain.segments.size() - 1;
  while (chain.segments[k].unit > rest) --k;
  return {corner, k, rest / chain.segments[k].unit};
}

Index end_of(const RefinedDim& chain, const DigitRange& range) {
  return range.corner + range.count * (chain.segments.empty() ? 1 : chain.segments[range.segment].unit);
}

}  // namespace tessera::moving
