// SPDX-License-Identifier: Apache-2.0
#include "reshard/pieces/axis_box.h"

#include <algorithm>

namespace tessera::detail {
namespace {

using AxisTerms = std::span<const std::pair<std::size_t, Index>>;

// Cuts `box` where the sum of the terms enters or leaves [begin, end). The constant of the sum is not
// included.
void restrict_terms(const AxisBox& box, AxisTerms terms, Index begin, Index end, std::vector<AxisBox>& out) {
  SumRange range;
  for (const auto& [axis, scale] : terms) {
    range.least += scale * box[axis].first;
    range.most += scale * (box[axis].first + box[axis].count - 1);
  }
  if (range.most < begin || range.least >= end) return;
  if (range.least >= begin && range.most < end) {
    out.push_back(box);
    return;
  }
  const auto [axis, scale] = terms.front();
  const Index inner_least = range.least - scale * box[axis].first;
  const Index inner_most = range.most - scale * (box[axis].first + box[axis].count - 1);
  const Index low = box[axis].first;
  const Index high = low + box[axis].count;
  const Index first = std::clamp(ceil_div(begin - inner_most, scale), low, high);
  const Index last = std::clamp(floor_div(end - 1 - inner_least, scale) + 1, first, high);
  const Index whole_first = std::clamp(ceil_div(begin - inner_least, scale), first, last);
  const Index whole_last = std::clamp(floor_div(end - 1 - inner_most, scale) + 1, whole_first, last);
  const auto add = [&](Index at, Index count, bool whole) {
    AxisBox part = box;
    part[axis] = {at, count};
    if (whole) {
      out.push_back(std::move(part));
    } else {
      restrict_terms(part, terms.subspan(1), begin - at * scale, end - at * scale, out);
    }
  };
  for (Index at = first; at < whole_first; ++at) add(at, 1, false);
  if (whole_last > whole_first) add(whole_first, whole_last - whole_first, true);
  for (Index at = whole_last; at < last; ++at) add(at, 1, false);
}

}  // namespace

SumRange range_of(const AxisSum& sum, const AxisBox& box) {
  SumRange range{sum.constant, sum.constant};
  for (const auto& [axis, scale] : sum.terms) {
    range.least += scale * box[axis].first;
    range.most += scale * (box[axis].first + box[axis].count - 1);
  }
  return range;
}

void restrict_sum(const AxisBox& box, const AxisSum& sum, Index begin, Index end, std::vector<AxisBox>& out) {
  std::vector<std::pair<std::size_t, Index>> terms = sum.terms;
  std::ranges::stable_sort(terms, std::ranges::greater(), &std::pair<std::size_t, Index>::second);
  restrict_terms(box, terms, begin - sum.constant, end - sum.constant, out);
}

}  // namespace tessera::detail
