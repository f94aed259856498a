// SPDX-License-Identifier: Apache-2.0
// Counts for whole grids: determines how many warps start at each residue, and counts once per residue.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "access/limits.h"
#include "access/offset_table.h"
#include "access/start_counts.h"
#include "tessera/access/memory_target.h"
#include "tessera/notation/layout.h"

namespace tessera {
namespace {

using detail::GridDigit;
using detail::LanePattern;
using detail::PatternStarts;
using detail::StartCounts;

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
  for (const Layout* layout : {&grid.lanes, &grid.warps}) {
    if (layout->size() == 0) continue;
    const Result<Interval> range = offset_range(*layout);
    if (!range) return fail(range.error());
    if (std::max(std::abs(range->lower), std::abs(range->upper)) >
        detail::kAccessLimits.grid_bytes / ceil_div(grid.element_bits, 8))
      return fail(Code::overflow, "a byte address is 2^60 or more");
  }
  if (grid.limit && *grid.limit > detail::kAccessLimits.grid_bytes / ceil_div(grid.element_bits, 8))
    return fail(Code::overflow, "the buffer has 2^60 bytes or more");
  return {};
}

// Counts one instruction of every warp.
Result<GridReport> count_instruction(const Grid& grid, LanePattern pattern) {
  const Index end = grid.limit ? ceil_div(*grid.limit * grid.element_bits, 8) : kIndexMax;
  GridReport out{.sum = {}, .warps = grid.warps.size()};
  const std::optional<std::vector<GridDigit>> digits = digits_of(grid.warps, grid.element_bits);
  const bool ascending = digits && ascends(*digits);
  const auto [lowest, highest] = std::ranges::minmax(pattern.bytes);

  Index whole = 0;  // warps that the closed form counts
  if (digits && (!grid.limit || ascending)) {
    whole = out.warps;
    if (grid.limit && whole > 0) {
      const auto leaves = [&](Index count) {  // a lane of the first `count` warps is inactive
        return bytes_of(offset_at(grid.warps, count - 1), grid.element_bits) + highest >= end;
      };
      if (leaves(whole)) whole = detail::first_number(whole, leaves);
    }
    const Index start = grid.base + bytes_of(grid.warps.known_digits()->base(), grid.element_bits);
    const auto starts = [&](Index count, Index modulus) {
      StartCounts moved(modulus);
      moved.add(StartCounts::first(*digits, count, modulus), start);
      return moved;
    };
    const auto most = detail::add_instructions(
        pattern, PatternStarts::of(grid.segments, [&](Index size) { return starts(whole, size); }),
        grid.segments, out.sum);
    if (!most) return fail(Code::overflow, "the bytes of the grid exceed 64 bits");
    out.worst_sectors = *most;
    if (whole > 0)
      out.worst_warp = detail::first_number(
          whole, [&](Index count) { return has_sectors(pattern, starts(count, kLineBytes), *most); });
  }
  for (Index k = whole, lanes_seen = 0; k < out.warps; ++k) {
    const Index bytes = bytes_of(offset_at(grid.warps, k), grid.element_bits);
    if (grid.limit && ascending && bytes + lowest >= end) break;
    if ((lanes_seen += std::ssize(pattern.bytes)) > detail::kAccessLimits.lanes) {
      return fail(Code::limit,
                  fmt::format("more than {} lanes must be counted one by one", detail::kAccessLimits.lanes),
                  {}, "give the warps as a strided layout with ascending offsets");
    }
    pattern.active = ~std::uint64_t{0};
    for (std::size_t i = 0; grid.limit && i < pattern.bytes.size(); ++i) {
      if (bytes + pattern.bytes[i] >= end) pattern.active &= ~(std::uint64_t{1} << i);
    }
    const SegmentReport one = pattern.count_at(bytes + grid.base, grid.segments);
    out.sum += one;
    if (one.sectors > out.worst_sectors) {
      out.worst_sectors = one.sectors;
      out.worst_warp = k;
    }
  }
  return out;
}

}  // namespace

Result<GridReport> count_grid(const Grid& grid) {
  const Index size = grid.lanes.size();
  // One value is enough for a vector of any width, because the vector's other elements follow it.
  if (grid.values < 1 || grid.vector < 1 || size % grid.values != 0 ||
      (grid.values > 1 && grid.values % grid.vector != 0)) {
    return fail(Code::bad_extent,
                fmt::format("{} indices cannot be split into lanes of {} values in whole vectors of {}", size,
                            grid.values, grid.vector));
  }
  if (grid.element_bits < 1)
    return fail(Code::unsupported_width, fmt::format("an element cannot have {} bits", grid.element_bits));
  const Index lanes = size / grid.values;
  if (lanes > detail::kAccessLimits.warp_lanes) {
    return fail(Code::limit,
                fmt::format("a warp has at most {} lanes, not {}", detail::kAccessLimits.warp_lanes, lanes),
                {}, "give the lanes of one warp as the layout");
  }
  for (const Index bytes : grid.segments) {
    if (bytes < 1 || bytes > detail::kAccessLimits.segment_bytes) {
      return fail(Code::limit,
                  fmt::format("a grid counts segments of 1 to {} bytes, not {}",
                              detail::kAccessLimits.segment_bytes, bytes),
                  {}, "leave this size out of --segments");
    }
  }
  if (Result<void> fit = check_range(grid); !fit) return fail(fit.error());
  const Result<std::vector<Index>> offsets = offset_table(grid.lanes, detail::kAccessLimits.lanes);
  if (!offsets) return fail(offsets.error());
  if (!whole_bytes(grid, *offsets)) {
    return fail(Code::unsupported_width,
                fmt::format("a vector of {} elements of {} bits begins or ends inside a byte", grid.vector,
                            grid.element_bits),
                {}, "make every vector begin and end on a byte boundary");
  }
  GridReport out{.sum = {}, .warps = grid.warps.size()};
  out.sum.segments.resize(grid.segments.size());
  out.sum.ideal_segments = out.sum.segments;
  for (Index value = 0; value < grid.values && lanes > 0; value += grid.vector) {
    LanePattern pattern{.bytes = {}, .width = static_cast<int>(grid.element_bits * grid.vector / 8)};
    for (Index lane = 0; lane < lanes; ++lane)
      pattern.bytes.push_back(
          bytes_of((*offsets)[static_cast<std::size_t>(lane + lanes * value)], grid.element_bits));
    const Result<GridReport> one = count_instruction(grid, std::move(pattern));
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
