// SPDX-License-Identifier: Apache-2.0
#include "access/start_counts.h"

#include <array>
#include <numeric>

namespace tessera::detail {

StartCounts StartCounts::one(Index modulus) {
  StartCounts out(modulus);
  out.counts_[0] = 1;
  return out;
}

StartCounts StartCounts::first(std::span<const GridDigit> digits, Index count, Index modulus) {
  std::vector<StartCounts> full = {one(modulus)};  // full[k]: all numbers of the digits below k
  std::vector<__int128> sizes = {1};
  for (const GridDigit& d : digits) {
    StartCounts next = full.back();
    next.repeat(d.step, d.extent);
    full.push_back(std::move(next));
    sizes.push_back(sizes.back() * d.extent);
    if (sizes.back() >= count) break;
  }
  if (sizes.back() == count) return full.back();
  StartCounts out(modulus);
  Index shift = 0;  // due to the higher digits
  for (std::size_t k = sizes.size() - 1; k-- > 0;) {
    const auto steps = static_cast<Index>(count / sizes[k]);
    count = static_cast<Index>(count % sizes[k]);
    StartCounts part = full[k];
    part.repeat(digits[k].step, steps);
    out.add(part, shift);
    shift = mod(shift + mod(digits[k].step, modulus) * mod(steps, modulus), modulus);
  }
  return out;
}

__int128 StartCounts::total() const { return std::accumulate(counts_.begin(), counts_.end(), __int128{0}); }

void StartCounts::add(Index address, __int128 times) { counts_[slot(address)] += times; }

void StartCounts::add(const StartCounts& other, Index shift) {
  const std::size_t begin = slot(shift);
  for (std::size_t r = 0; r < counts_.size(); ++r)
    counts_[r + begin < counts_.size() ? r + begin : r + begin - counts_.size()] += other.counts_[r];
}

void StartCounts::remove(const StartCounts& other) {
  for (std::size_t r = 0; r < counts_.size(); ++r) counts_[r] -= other.counts_[r];
}

void StartCounts::repeat(Index step, Index count) {
  // Steps visit the residues of an orbit in turn. Each residue receives the whole orbit once for each full
  // round, and once more the last `rest` residues up to and including itself.
  const std::size_t n = counts_.size();
  const std::size_t jump = slot(step);
  const std::size_t orbits = std::gcd(n, jump);
  const std::size_t length = n / orbits;
  const auto rounds = count / static_cast<Index>(length);
  const auto rest = static_cast<std::size_t>(count % static_cast<Index>(length));
  std::vector<__int128> sums(length + 1);  // sums[k]: of the first k residues of the orbit
  for (std::size_t first = 0; first < orbits; ++first) {
    std::size_t at = first;
    for (std::size_t k = 0; k < length; ++k, at = (at + jump) % n) sums[k + 1] = sums[k] + counts_[at];
    for (std::size_t k = 0; k < length; ++k, at = (at + jump) % n) {
      const __int128 last = k + 1 >= rest ? sums[k + 1] - sums[k + 1 - rest]
                                          : sums[k + 1] + sums[length] - sums[length + k + 1 - rest];
      counts_[at] = sums[length] * rounds + last;
    }
  }
}

void StartCounts::combine(const StartCounts& other) {
  const StartCounts own = std::move(*this);
  counts_.assign(own.counts_.size(), 0);
  for (std::size_t shift = 0; shift < other.counts_.size(); ++shift) {
    if (other.counts_[shift] == 0) continue;
    for (std::size_t r = 0; r < own.counts_.size(); ++r) {
      if (own.counts_[r] == 0) continue;
      counts_[(r + shift) % counts_.size()] += own.counts_[r] * other.counts_[shift];
    }
  }
}

SegmentReport LanePattern::count_at(Index start, std::span<const Index> sizes) const {
  std::array<Index, 64> moved;
  for (std::size_t i = 0; i < bytes.size(); ++i) moved[i] = bytes[i] + start;
  return count_segments({.bytes = std::span(moved).first(bytes.size()), .active = active, .width = width},
                        sizes);
}

PatternStarts PatternStarts::of(std::span<const Index> sizes,
                                const std::function<StartCounts(Index)>& count) {
  PatternStarts out{.lines = count(kLineBytes)};
  for (const Index size : sizes) out.segments.push_back(count(size));
  return out;
}

std::optional<Index> add_instructions(const LanePattern& pattern, const PatternStarts& starts,
                                      std::span<const Index> sizes, SegmentReport& sum) {
  bool fits = true;
  const auto add = [&](Index value, __int128 times, Index& to) {
    const __int128 all = times * value + to;
    fits = fits && all <= kIndexMax;
    if (fits) to = static_cast<Index>(all);
  };
  sum.segments.resize(sizes.size());
  sum.ideal_segments.resize(sizes.size());
  Index most = 0;
  for (Index r = 0; r < starts.lines.modulus(); ++r) {
    const __int128 times = starts.lines[r];
    if (times == 0) continue;
    const SegmentReport one = pattern.count_at(r);
    most = std::max(most, one.sectors);
    add(one.requested, times, sum.requested);
    add(one.bytes, times, sum.bytes);
    add(one.sectors, times, sum.sectors);
    add(one.lines, times, sum.lines);
    add(one.ideal_sectors, times, sum.ideal_sectors);
    add(one.ideal_lines, times, sum.ideal_lines);
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    for (Index r = 0; r < sizes[i]; ++r) {
      const __int128 times = starts.segments[i][r];
      if (times == 0) continue;
      const SegmentReport one = pattern.count_at(r, sizes.subspan(i, 1));
      add(one.segments[0], times, sum.segments[i]);
      add(one.ideal_segments[0], times, sum.ideal_segments[i]);
    }
  }
  if (!fits) return std::nullopt;
  return most;
}

bool has_sectors(const LanePattern& pattern, const StartCounts& lines, Index sectors) {
  for (Index r = 0; r < lines.modulus(); ++r)
    if (lines[r] != 0 && pattern.count_at(r).sectors == sectors) return true;
  return false;
}

Index first_number(Index count, const std::function<bool(Index)>& found) {
  Index low = 0;
  Index high = count - 1;
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (found(middle + 1)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace tessera::detail
