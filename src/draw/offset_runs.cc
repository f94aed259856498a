// SPDX-License-Identifier: Apache-2.0
#include "draw/offset_runs.h"

#include <algorithm>
#include <numeric>

#include "base/index_walk.h"
#include "tessera/draw/layout_picture.h"

namespace tessera::detail {
namespace {

OffsetRuns runs_of_sorted(std::span<const Index> offsets) {
  OffsetRuns runs;
  std::size_t begin = 0;
  for (std::size_t i = 1; i <= offsets.size(); ++i) {
    if (i < offsets.size() && offsets[i] - offsets[i - 1] <= 1) continue;
    const Index length = offsets[i - 1] - offsets[begin] + 1;
    runs.shortest = runs.count == 0 ? length : std::min(runs.shortest, length);
    runs.longest = std::max(runs.longest, length);
    runs.alignment = std::gcd(runs.alignment, std::gcd(offsets[begin], length));
    ++runs.count;
    begin = i;
  }
  return runs;
}

}  // namespace

OffsetWalk walk(const Layout& layout) {
  std::vector<Index> offsets;
  offsets.reserve(static_cast<std::size_t>(layout.size()));
  std::vector<Index> index(layout.rank(), 0);
  do {
    offsets.push_back(layout.offset(index));
  } while (detail::next_index(index, layout.shape()));
  std::vector<Index> sorted = offsets;
  std::ranges::sort(sorted);
  OffsetWalk walk{.low = sorted.front(), .high = sorted.back()};
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end()) {
    const auto first = std::ranges::find(offsets, *twice);
    const auto second = std::find(first + 1, offsets.end(), *twice);
    walk.collision = {detail::index_with_number(layout.shape(), first - offsets.begin()),
                      detail::index_with_number(layout.shape(), second - offsets.begin())};
  }
  walk.image = std::ranges::unique(sorted).begin() - sorted.begin();
  walk.runs = runs_of_sorted(std::span(sorted).first(static_cast<std::size_t>(walk.image)));
  return walk;
}

std::optional<OffsetRuns> runs_of(const Digits& digits) {
  std::vector<Digit> sorted(digits.digits().begin(), digits.digits().end());
  Index base = digits.base();
  Index count = 1;
  for (const Index extent : digits.box()) count *= extent;
  for (Digit& d : sorted) {
    if (d.stride >= 0) continue;
    // Reversing a digit does not change the set of offsets, unless the box cuts the digit.
    if (digits.digit_extent(static_cast<std::size_t>(d.dim)) != digits.box()[static_cast<std::size_t>(d.dim)])
      return {};
    base += d.stride * (d.ext - 1);
    d.stride = -d.stride;
  }
  std::ranges::sort(sorted, {}, &Digit::stride);
  Index run = 1;
  std::size_t inside = 0;
  while (inside < sorted.size() && sorted[inside].stride == run) run *= sorted[inside++].ext;
  Index reach = run;
  for (std::size_t i = inside; i < sorted.size(); ++i) {
    if (sorted[i].stride < reach) return {};
    if (mul_overflows(sorted[i].stride, sorted[i].ext, reach)) reach = kIndexMax;
  }
  // A run is complete only if the box cuts none of its dimensions.
  for (std::size_t i = 0; i < inside; ++i) {
    const auto dim = static_cast<std::size_t>(sorted[i].dim);
    if (digits.digit_extent(dim) != digits.box()[dim]) return {};
  }
  OffsetRuns runs{.count = count / run, .shortest = run, .longest = run, .alignment = std::gcd(base, run)};
  for (std::size_t i = inside; i < sorted.size(); ++i)
    runs.alignment = std::gcd(runs.alignment, sorted[i].stride);
  return runs;
}

}  // namespace tessera::detail
