// SPDX-License-Identifier: Apache-2.0
// Counts for whole grids: determines how many warps start at each residue modulo a line, and counts sectors
// once per residue.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "access/offset_table.h"
#include "tessera/access/coalescing.h"
#include "tessera/notation/layout_queries.h"

namespace tessera {
namespace {

constexpr Index kMostLanes = Index{1} << 22;
constexpr Index kMostLanesOfAWarp = 64;
constexpr auto kResidues = static_cast<std::size_t>(kLineBytes);

// The number of warps that start at each residue. 128-bit sums cannot overflow.
using Starts = std::array<__int128, kResidues>;
using Residues = std::array<bool, kResidues>;

std::size_t residue(Index bytes) { return static_cast<std::size_t>(mod(bytes, kLineBytes)); }

// The number of steps after which a digit returns to the same residue.
Index period(Index step) { return kLineBytes / std::gcd(kLineBytes, mod(step, kLineBytes)); }

// The starts reached from `starts` by 0 to `count` - 1 steps.
Starts along(const Starts& starts, Index step, Index count) {
  Starts out{};
  const Index p = period(step);
  for (Index i = 0; i < std::min(count, p); ++i) {
    const Index times = count / p + (i < count % p ? 1 : 0);
    const Index shift = mod(step, kLineBytes) * i;
    for (std::size_t r = 0; r < kResidues; ++r)
      out[residue(static_cast<Index>(r) + shift)] += starts[r] * times;
  }
  return out;
}

struct GridDigit {
  Index extent;
  Index step;  // bytes
};

class GridCounter {
 public:
  GridCounter(const Grid& grid, std::vector<Index> lane_bytes, std::vector<GridDigit> digits, Index base)
      : grid_(grid), lanes_(std::move(lane_bytes)), digits_(std::move(digits)), base_(base) {}

  // Adds the first `count` warps, in the order of their numbers.
  Result<void> add_first(Index count) {
    Starts starts{};
    Index number = count;
    Index shift = base_;  // due to the higher digits
    std::vector<Starts> full = {Starts{}};
    full[0][0] = 1;
    Index below = 1;
    std::vector<Index> sizes = {1};
    for (const GridDigit& d : digits_) {
      full.push_back(along(full.back(), d.step, d.extent));
      sizes.push_back(below *= d.extent);
    }
    const auto add = [&](const Starts& part, Index offset) {
      for (std::size_t r = 0; r < kResidues; ++r)
        starts[residue(static_cast<Index>(r) + mod(offset, kLineBytes))] += part[r];
    };
    if (number == sizes.back()) {
      add(full.back(), shift);
    } else {
      for (std::size_t k = digits_.size(); k-- > 0;) {
        const Index steps = number / sizes[k];
        number %= sizes[k];
        add(along(full[k], digits_[k].step, steps), shift);
        shift += mod(digits_[k].step, kLineBytes) * mod(steps, period(digits_[k].step));
      }
    }
    return add_starts(starts, count);
  }

  // Adds one warp, given its offset in bytes from the start of the buffer.
  void add_one(Index number, Index bytes, std::uint64_t active) {
    const SegmentReport one = count(bytes, active);
    report_.sum += one;
    if (one.sectors > report_.worst_sectors) {
      report_.worst_sectors = one.sectors;
      report_.worst_warp = number;
    }
  }

  SegmentReport count(Index start, std::uint64_t active) const {
    std::array<Index, 64> bytes;
    for (std::size_t i = 0; i < lanes_.size(); ++i) bytes[i] = lanes_[i] + start;
    return count_segments({.bytes = std::span(bytes).first(lanes_.size()),
                           .active = active,
                           .width = static_cast<int>(grid_.element_bits * grid_.vector / 8)});
  }

  GridReport& report() { return report_; }

 private:
  Result<void> add_starts(const Starts& starts, Index count_of_warps) {
    std::array<Index, kResidues> sectors{};
    Index most = 0;
    for (std::size_t r = 0; r < kResidues; ++r) {
      if (starts[r] == 0) continue;
      const SegmentReport one = count(static_cast<Index>(r), ~std::uint64_t{0});
      const auto times = [&](Index value, Index& sum) {
        const __int128 total = static_cast<__int128>(value) * starts[r] + sum;
        if (total > kIndexMax) return false;
        sum = static_cast<Index>(total);
        return true;
      };
      SegmentReport& s = report_.sum;
      if (!times(one.requested, s.requested) || !times(one.bytes, s.bytes) ||
          !times(one.sectors, s.sectors) || !times(one.lines, s.lines) ||
          !times(one.ideal_sectors, s.ideal_sectors) || !times(one.ideal_lines, s.ideal_lines))
        return fail(Code::overflow, "the bytes of the grid exceed 64 bits");
      sectors[r] = one.sectors;
      most = std::max(most, one.sectors);
    }
    if (count_of_warps == 0 || most <= report_.worst_sectors) return {};
    report_.worst_sectors = most;
    Residues wanted{};
    for (std::size_t r = 0; r < kResidues; ++r) wanted[r] = starts[r] != 0 && sectors[r] == most;
    report_.worst_warp = first_at(wanted);
    return {};
  }

  // The lowest number of a warp that starts at one of these residues. Requires that some counted warp does.
  // Counted warps have lower numbers than the others.
  Index first_at(const Residues& wanted) const {
    std::vector<Residues> reach(digits_.size() + 1);  // reach[k]: the residues that digits below k reach
    reach[0][0] = true;
    for (std::size_t k = 0; k < digits_.size(); ++k) {
      for (Index i = 0; i < std::min(digits_[k].extent, period(digits_[k].step)); ++i)
        for (std::size_t r = 0; r < kResidues; ++r)
          if (reach[k][r])
            reach[k + 1][residue(static_cast<Index>(r) + mod(digits_[k].step, kLineBytes) * i)] = true;
    }
    Index number = 0;
    Index shift = base_;
    Index below = std::accumulate(digits_.begin(), digits_.end(), Index{1},
                                  [](Index n, const GridDigit& d) { return n * d.extent; });
    for (std::size_t k = digits_.size(); k-- > 0;) {
      below /= digits_[k].extent;
      for (Index i = 0; i < std::min(digits_[k].extent, period(digits_[k].step)); ++i) {
        const Index at = shift + mod(digits_[k].step, kLineBytes) * i;
        bool good = false;
        for (std::size_t r = 0; r < kResidues && !good; ++r)
          good = reach[k][r] && wanted[residue(static_cast<Index>(r) + mod(at, kLineBytes))];
        if (!good) continue;
        number += i * below;
        shift = at;
        break;
      }
    }
    return number;
  }

  const Grid& grid_;
  std::vector<Index> lanes_;
  std::vector<GridDigit> digits_;
  Index base_;
  GridReport report_;
};

// The bytes of elements that together are whole bytes.
Index bytes_of(Index elements, Index element_bits) {
  return element_bits % 8 == 0 ? elements * (element_bits / 8)
                               : floor_div(elements, 8) * element_bits + mod(elements, 8) * element_bits / 8;
}

// True if every vector begins and ends at a byte boundary. The vectors of warp 0 begin at `offsets`.
bool whole_bytes(const Grid& grid, std::span<const Index> offsets) {
  const Index step = 8 / std::gcd(Index{8}, grid.element_bits);  // elements
  if (step == 1) return true;
  if (grid.vector % step != 0) return false;
  const auto misses = [&](Index offset) { return mod(offset, step) != 0; };
  const Index lanes = std::ssize(offsets) / grid.values;
  for (Index i = 0; i < std::ssize(offsets); ++i)
    if (i / lanes % grid.vector == 0 && misses(offsets[static_cast<std::size_t>(i)])) return false;
  const Digits* digits = grid.warps.known_digits();
  if (digits == nullptr || misses(digits->base())) return false;
  for (std::size_t dim = 0; dim < grid.warps.rank(); ++dim)
    for (const Digit& d : digits->digits(dim))
      if (misses(d.stride)) return false;
  return true;
}

// The digits of a layout by its 1-D index, lowest first. Empty if the box cuts a digit.
std::optional<std::vector<GridDigit>> digits_of(const Layout& layout, Index element_bits) {
  const Digits* digits = layout.known_digits();
  if (digits == nullptr) return std::nullopt;
  std::vector<GridDigit> out;
  for (std::size_t dim = 0; dim < layout.rank(); ++dim) {
    Index extent = 1;
    for (const Digit& d : digits->digits(dim)) {
      if (d.div != extent) out.push_back({d.div / extent, 0});
      out.push_back({d.ext, bytes_of(d.stride, element_bits)});
      extent = d.div * d.ext;
    }
    const Index whole = layout.shape()[dim];
    if (extent > whole) return std::nullopt;
    if (extent < whole) {
      if (whole % extent != 0) return std::nullopt;
      out.push_back({whole / extent, 0});
    }
  }
  return out;
}

// True if each step is at least the sum of all lower digits, so that the offset grows with the warp number.
bool ascends(const std::vector<GridDigit>& digits) {
  Index reach = 0;
  for (const GridDigit& d : digits) {
    if (d.step < reach) return false;
    reach += (d.extent - 1) * d.step;
  }
  return true;
}

// Checks that all addresses are below 2^60 bytes, so that sums of a few of them fit in 64 bits.
Result<void> check_range(const Grid& grid) {
  constexpr Index kMost = Index{1} << 60;
  for (const Layout* layout : {&grid.lanes, &grid.warps}) {
    if (layout->size() == 0) continue;
    const Result<Interval> range = offset_range(*layout);
    if (!range) return fail(range.error());
    if (std::max(std::abs(range->lower), std::abs(range->upper)) > kMost / ceil_div(grid.element_bits, 8))
      return fail(Code::overflow, "a byte address is 2^60 or more");
  }
  if (grid.limit && *grid.limit > kMost / ceil_div(grid.element_bits, 8))
    return fail(Code::overflow, "the buffer has 2^60 bytes or more");
  return {};
}

// Counts one instruction of every warp, given the first byte of each lane.
Result<GridReport> count_instruction(const Grid& grid, std::vector<Index> lane_bytes) {
  const Index end = grid.limit ? ceil_div(*grid.limit * grid.element_bits, 8) : kIndexMax;
  const Index warps = grid.warps.size();
  const auto lane_count = std::ssize(lane_bytes);
  const std::optional<std::vector<GridDigit>> digits = digits_of(grid.warps, grid.element_bits);
  const Index start = digits ? bytes_of(grid.warps.known_digits()->base(), grid.element_bits) : 0;
  GridCounter counter(grid, lane_bytes, digits.value_or(std::vector<GridDigit>{}), grid.base + start);
  counter.report().warps = warps;

  Index whole = 0;  // warps that the closed form counts
  if (digits && (!grid.limit || ascends(*digits))) {
    whole = warps;
    if (grid.limit) {
      const Index last_lane = *std::max_element(lane_bytes.begin(), lane_bytes.end());
      Index low = 0;
      while (low < whole) {  // the first warp with a lane that is off
        const Index middle = low + (whole - low) / 2;
        const Index first = bytes_of(offset_at(grid.warps, middle), grid.element_bits) + last_lane;
        if (first >= end) {
          whole = middle;
        } else {
          low = middle + 1;
        }
      }
    }
    if (Result<void> added = counter.add_first(whole); !added) return fail(added.error());
  }
  const Index first_lane = lane_bytes.empty() ? 0 : *std::min_element(lane_bytes.begin(), lane_bytes.end());
  for (Index k = whole, lanes_seen = 0; k < warps; ++k) {
    const Index bytes = bytes_of(offset_at(grid.warps, k), grid.element_bits);
    if (grid.limit && digits && ascends(*digits) && bytes + first_lane >= end) break;
    if ((lanes_seen += lane_count) > kMostLanes) {
      return fail(Code::limit, fmt::format("more than {} lanes must be counted one by one", kMostLanes), {},
                  "give the warps as a strided layout with ascending offsets");
    }
    std::uint64_t active = ~std::uint64_t{0};
    for (std::size_t i = 0; grid.limit && i < lane_bytes.size(); ++i) {
      if (bytes + lane_bytes[i] >= end) active &= ~(std::uint64_t{1} << i);
    }
    counter.add_one(k, bytes + grid.base, active);
  }
  return counter.report();
}

}  // namespace

Result<GridReport> count_grid(const Grid& grid) {
  const Index size = grid.lanes.size();
  // One value is enough for a vector of any width, because the vector's other elements follow it.
  if (grid.values < 1 || size % grid.values != 0 || (grid.values > 1 && grid.values % grid.vector != 0)) {
    return fail(Code::bad_extent, fmt::format("{} values of {} indices do not divide into vectors of {}",
                                              grid.values, size, grid.vector));
  }
  const Index lanes = size / grid.values;
  if (lanes > kMostLanesOfAWarp) {
    return fail(Code::limit, fmt::format("a warp has at most {} lanes, not {}", kMostLanesOfAWarp, lanes), {},
                "give the lanes of one warp as the layout");
  }
  if (Result<void> fit = check_range(grid); !fit) return fail(fit.error());
  const Result<std::vector<Index>> offsets = offset_table(grid.lanes, kMostLanes);
  if (!offsets) return fail(offsets.error());
  if (!whole_bytes(grid, *offsets)) {
    return fail(Code::unsupported_width,
                fmt::format("a vector of {} elements of {} bits begins or ends inside a byte", grid.vector,
                            grid.element_bits),
                {}, "let every vector begin at a whole byte");
  }
  GridReport out{.sum = {}, .warps = grid.warps.size()};
  for (Index value = 0; value < grid.values; value += grid.vector) {
    std::vector<Index> bytes;
    for (Index lane = 0; lane < lanes; ++lane)
      bytes.push_back(
          bytes_of((*offsets)[static_cast<std::size_t>(lane + lanes * value)], grid.element_bits));
    const Result<GridReport> one = count_instruction(grid, std::move(bytes));
    if (!one) return fail(one.error());
    out.sum += one->sum;
    if (one->worst_sectors > out.worst_sectors ||
        (one->worst_sectors == out.worst_sectors && one->worst_warp < out.worst_warp)) {
      out.worst_sectors = one->worst_sectors;
      out.worst_warp = one->worst_warp;
    }
  }
  return out;
}

}  // namespace tessera
