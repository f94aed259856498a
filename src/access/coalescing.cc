// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

#include "tessera/access/memory_target.h"

namespace tessera {
namespace {

// Half-open intervals of bytes, sorted and joined.
using Spans = std::vector<std::pair<Index, Index>>;

Spans byte_spans(const LaneAddresses& lanes, Index& requested) {
  Spans out;
  for (std::size_t i = 0; i < std::min<std::size_t>(lanes.bytes.size(), 64); ++i) {
    if ((lanes.active >> i & 1) == 0) continue;
    requested += lanes.width;
    out.push_back({lanes.bytes[i], lanes.bytes[i] + lanes.width});
  }
  std::sort(out.begin(), out.end());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (kept > 0 && out[i].first <= out[kept - 1].second) {
      out[kept - 1].second = std::max(out[kept - 1].second, out[i].second);
    } else {
      out[kept++] = out[i];
    }
  }
  out.resize(kept);
  return out;
}

Index pieces(const Spans& spans, Index size) {
  Index count = 0;
  Index last = kIndexMin;  // the last piece counted
  for (const auto& [begin, end] : spans) {
    const Index first = std::max(floor_div(begin, size), last == kIndexMin ? kIndexMin : last + 1);
    const Index until = floor_div(end - 1, size);
    if (until >= first) {
      count += until - first + 1;
      last = until;
    }
  }
  return count;
}

}  // namespace

SegmentReport& SegmentReport::operator+=(const SegmentReport& other) {
  requested += other.requested;
  bytes += other.bytes;
  sectors += other.sectors;
  lines += other.lines;
  ideal_sectors += other.ideal_sectors;
  ideal_lines += other.ideal_lines;
  segments.resize(std::max(segments.size(), other.segments.size()));
  ideal_segments.resize(segments.size());
  for (std::size_t i = 0; i < other.segments.size(); ++i) {
    segments[i] += other.segments[i];
    ideal_segments[i] += other.ideal_segments[i];
  }
  return *this;
}

SegmentReport count_segments(const LaneAddresses& lanes, std::span<const Index> other_sizes) {
  SegmentReport out;
  const Spans spans = byte_spans(lanes, out.requested);
  for (const auto& [begin, end] : spans) out.bytes += end - begin;
  out.sectors = pieces(spans, kSectorBytes);
  out.lines = pieces(spans, kLineBytes);
  out.ideal_sectors = ceil_div(out.bytes, kSectorBytes);
  out.ideal_lines = ceil_div(out.bytes, kLineBytes);
  for (const Index size : other_sizes) {
    out.segments.push_back(pieces(spans, size));
    out.ideal_segments.push_back(ceil_div(out.bytes, size));
  }
  return out;
}

std::string_view to_string(VectorLimit limit) {
  constexpr std::array<std::string_view, 5> kNames = {"cap", "values", "gap", "alignment", "base"};
  return kNames[static_cast<std::size_t>(limit)];
}

VectorWidth widest_vector(const ThreadOffsets& access) {
  const auto& [offsets, threads, element_bits, base_align, cap_bytes, base] = access;
  const Index values = threads == 0 ? 0 : std::ssize(offsets) / threads;
  const auto at = [&access](Index thread, Index value) {
    return access.offsets[static_cast<std::size_t>(thread + access.threads * value)];
  };
  VectorWidth out;
  for (;; out.vector *= 2) {
    const Index next = out.vector * 2;
    if (next * element_bits > 8 * cap_bytes) return out.limit = VectorLimit::cap, out;
    if (values % next != 0) return out.limit = VectorLimit::values, out;
    for (Index thread = 0; thread < threads; ++thread) {
      for (Index first = 0; first < values; first += next) {
        for (Index i = 1; i < next; ++i) {
          const Index begin = at(thread, first);
          if (at(thread, first + i) != (begin == kNoOffset ? kNoOffset : begin + i))
            return out.limit = VectorLimit::gap, out.at = {{thread, first + i}}, out;
        }
        const Index begin = at(thread, first);
        const Index size = next * element_bits;  // in bits
        const Index before = mod(begin, next) * element_bits;
        if (begin == kNoOffset || mod(before + 8 * mod(base, size), size) == 0) continue;
        if (before == 0) return out.limit = VectorLimit::base, out;
        return out.limit = VectorLimit::alignment, out.at = {{thread, first}}, out;
      }
    }
    if (8 * base_align % (next * element_bits) != 0) return out.limit = VectorLimit::base, out;
  }
}

}  // namespace tessera
