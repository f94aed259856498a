// SPDX-License-Identifier: Apache-2.0
#include "relayout/bits/bit_nest.h"

#include <algorithm>
#include <numeric>

namespace tessera::moving {
namespace {

// The parts of a copy that belong to one dimension, one for each range.
struct DimSides {
  std::vector<const BitDim*> src;
  std::vector<const BitDim*> dst;

  template <class F>
  bool all(const F& f) const {
    return std::ranges::all_of(src, f) && std::ranges::all_of(dst, f);
  }
};

// Indices at which every side begins anew: 1 = c0, c1, ..., each divides the next.
std::vector<Index> common_cuts(const DimSides& sides) {
  std::vector<Index> all = {1};
  sides.all([&](const BitDim* dim) {
    if (!dim->table.empty()) all.push_back(std::ssize(dim->table));
    for (const BitDigit& digit : dim->digits) all.push_back(digit.div);
    return true;
  });
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  const std::size_t single = all.size();
  for (std::size_t i = 0; i < single; ++i) {
    for (std::size_t k = i + 1; k < single; ++k) {
      Index multiple = 0;
      if (!mul_overflows(all[i] / std::gcd(all[i], all[k]), all[k], multiple)) all.push_back(multiple);
    }
  }
  std::ranges::sort(all);
  std::vector<Index> cuts;
  for (const Index c : all) {
    const bool next = cuts.empty() || (c > cuts.back() && c % cuts.back() == 0);
    if (next && sides.all([c](const BitDim* dim) { return dim->splits_at(c); })) cuts.push_back(c);
  }
  return cuts;
}

// Consecutive indices of one dimension as loops, the fastest first.
struct DimPiece {
  Index begin = 0;
  std::vector<BitLoop> loops;
};

class DimCutter {
 public:
  explicit DimCutter(const DimSides& sides) : sides_(sides), cuts_(common_cuts(sides)) {}

  // The pieces of [lo, hi). Returns false if a loop would need too long a table.
  bool cut(Index lo, Index hi, std::vector<DimPiece>& out) const {
    for (Index at = lo; at < hi;) {
      std::size_t top = 0;
      for (std::size_t k = 0; k < cuts_.size(); ++k) {
        const auto begins = [&](const BitDim* dim) {
          return dim->is_multiple() || (at - dim->origin) % cuts_[k] == 0;
        };
        if (sides_.all(begins) && cuts_[k] <= hi - at) top = k;
      }
      Index count = (hi - at) / cuts_[top];
      if (top + 1 < cuts_.size()) {
        const Index next = cuts_[top + 1];
        sides_.all([&](const BitDim* dim) {
          if (!dim->is_multiple()) count = std::min(count, (next - (at - dim->origin) % next) / cuts_[top]);
          return true;
        });
      }
      DimPiece piece{.begin = at, .loops = {}};
      for (std::size_t k = 0; k <= top; ++k) {
        const Index extent = k == top ? count : cuts_[k + 1] / cuts_[k];
        if (extent == 1) continue;
        std::optional<BitLoop> loop = loop_of(k, at, extent);
        if (!loop) return false;
        piece.loops.push_back(std::move(*loop));
      }
      out.push_back(std::move(piece));
      at += count * cuts_[top];
    }
    return true;
  }

 private:
  // The indices at + t * cuts_[k].
  std::optional<BitLoop> loop_of(std::size_t k, Index at, Index extent) const {
    const Index step = cuts_[k];
    const Index end = k + 1 < cuts_.size() ? cuts_[k + 1] : 0;
    BitLoop loop{.extent = extent, .steps = {}};
    for (std::size_t r = 0; r < sides_.src.size(); ++r) {
      BitSteps steps;
      if (sides_.src[r]->is_linear(step, end) && sides_.dst[r]->is_linear(step, end)) {
        steps.src = sides_.src[r]->at(at + step) - sides_.src[r]->at(at);
        steps.dst = sides_.dst[r]->at(at + step) - sides_.dst[r]->at(at);
      } else {
        if (extent > kTableEntries) return std::nullopt;
        for (Index t = 0; t < extent; ++t) {
          steps.src_table.push_back(sides_.src[r]->at(at + t * step) - sides_.src[r]->at(at));
          steps.dst_table.push_back(sides_.dst[r]->at(at + t * step) - sides_.dst[r]->at(at));
        }
      }
      loop.steps.push_back(std::move(steps));
    }
    return loop;
  }

  const DimSides& sides_;
  std::vector<Index> cuts_;
};

}  // namespace

std::vector<BitRange> bit_ranges(const BitForm& src, const BitForm& dst, Widening widening,
                                 std::uint64_t flip) {
  std::vector<BitRange> out;
  const int width = src.back().first + src.back().width;
  for (std::size_t t = 0; t < dst.size(); ++t) {
    const int end = dst[t].first + dst[t].width;
    for (int at = dst[t].first; at < end;) {
      BitRange range{.first = at, .to = t};
      if (at >= width) {
        // Bits beyond the source, in a part of their own.
        range.first = width - 1;
        range.from = src.size() - 1;
        range.more = end - at;
        range.repeats = widening == Widening::sign;
      } else {
        while (src[range.from].first + src[range.from].width <= at) ++range.from;
        range.count = std::min(end, src[range.from].first + src[range.from].width) - at;
        if (at + range.count == width) {
          range.more = end - width;
          range.repeats = widening == Widening::sign;
        }
      }
      for (int i = 0; i < range.count + range.more; ++i) {
        const int source = at + i < width ? at + i : width - 1;
        const bool inverted = (flip >> source & 1) != 0 && (at + i < width || range.repeats);
        if (inverted) range.flip |= std::uint64_t{1} << i;
      }
      // The offset of the range in the destination's part is `at`, not `first`, beyond the source.
      out.push_back(range);
      at += range.count + range.more;
    }
  }
  return out;
}

std::optional<std::vector<BitNest>> bit_nests(const BitForm& src, const BitForm& dst,
                                              const std::vector<BitRange>& ranges, std::span<const Index> lo,
                                              std::span<const Index> hi) {
  std::vector<std::vector<DimPiece>> pieces(lo.size());
  for (std::size_t d = 0; d < lo.size(); ++d) {
    if (lo[d] >= hi[d]) return std::vector<BitNest>();
    DimSides sides;
    for (const BitRange& range : ranges) {
      sides.src.push_back(&src[range.from].dims[d]);
      sides.dst.push_back(&dst[range.to].dims[d]);
    }
    if (!DimCutter(sides).cut(lo[d], hi[d], pieces[d])) return std::nullopt;
  }
  std::vector<BitNest> out;
  std::vector<std::size_t> chosen(lo.size(), 0);
  while (true) {
    BitNest nest{.ranges = ranges, .src = {}, .dst = {}, .loops = {}};
    std::vector<Index> index(lo.size());
    for (std::size_t d = lo.size(); d-- > 0;) {
      const DimPiece& piece = pieces[d][chosen[d]];
      index[d] = piece.begin;
      nest.loops.insert(nest.loops.end(), piece.loops.begin(), piece.loops.end());
    }
    int at = 0;
    for (const BitRange& range : ranges) {
      nest.src.push_back(src[range.from].at(index) + range.first - src[range.from].first);
      nest.dst.push_back(dst[range.to].at(index) + at - dst[range.to].first);
      at += range.count + range.more;
    }
    out.push_back(std::move(nest));
    std::size_t d = lo.size();
    while (d > 0 && ++chosen[d - 1] == pieces[d - 1].size()) chosen[--d] = 0;
    if (d == 0) return out;
  }
}

}  // namespace tessera::moving
