// SPDX-License-Identifier: Apache-2.0
// Cuts of a view where all cuts are digits of the row-major index.
#include "reshard/views/view_digits.h"

#include <algorithm>

namespace tessera::detail {
namespace {

// A digit of the row-major index of a dimension: local, or the coordinate of a factor of a mesh axis.
struct IndexDigit {
  Index size = 1;
  std::optional<AxisFactor> over = {};
};
using IndexDigits = std::vector<IndexDigit>;  // the major one first

Index local_extent(const IndexDigits& digits) {
  Index product = 1;
  for (const IndexDigit& digit : digits) product *= digit.over ? 1 : digit.size;
  return product;
}

// Gives an axis the `size` positions of the local index whose stride is `minor`. False if they are not
// digits.
bool take(IndexDigits& digits, std::size_t axis, Index size, Index minor) {
  const Index end = minor * size;
  Index stride = 1;
  for (std::size_t k = digits.size(); k-- > 0;) {
    if (digits[k].over) continue;
    const Index top = stride * digits[k].size;
    const Index low = std::max(stride, minor);
    const Index high = std::min(top, end);
    if (low < high) {
      if (low % stride != 0 || high % low != 0 || top % high != 0 || end % high != 0 || low % minor != 0)
        return false;
      const IndexDigit parts[] = {
          {top / high}, {high / low, AxisFactor{axis, end / high, high / low}}, {low / stride}};
      digits.erase(digits.begin() + static_cast<std::ptrdiff_t>(k));
      digits.insert(digits.begin() + static_cast<std::ptrdiff_t>(k), std::begin(parts), std::end(parts));
    }
    stride = top;
  }
  return true;
}

// Applies a cut to the local index. False if it is not even.
bool apply(IndexDigits& digits, const DimCut& cut, const PlaceMesh& mesh) {
  const Index extent = local_extent(digits);
  Index parts = 1;
  for (const std::size_t axis : cut.axes) parts *= mesh.axes[axis].size;
  Index minor = 0;
  switch (cut.rule) {
    case CutRule::ceil:
      minor = extent % parts == 0 ? extent / parts : 0;
      break;
    case CutRule::cyclic:
      minor = cut.start == 0 && (extent / parts) % cut.size == 0 ? cut.size : 0;
      break;
    case CutRule::strided:
    case CutRule::strided_padded:
      minor = extent % cut.size == 0 && extent / cut.size % parts == 0 ? extent / cut.size / parts : 0;
      break;
    case CutRule::sizes: {
      const bool equal = std::ranges::all_of(cut.sizes, [&](Index size) { return size == cut.sizes[0]; });
      minor = equal ? cut.sizes[0] : 0;
      break;
    }
  }
  if (minor == 0 || extent % (minor * parts) != 0) return false;
  for (const std::size_t axis : cut.axes) {
    parts /= mesh.axes[axis].size;
    if (!take(digits, axis, mesh.axes[axis].size, minor * parts)) return false;
  }
  return true;
}

// Takes the minor digits whose product is `extent` off the end. Empty if there are none.
std::optional<IndexDigits> take_dim(IndexDigits& digits, Index extent) {
  IndexDigits out;
  while (extent > 1) {
    if (digits.empty()) return {};
    IndexDigit& last = digits.back();
    if (last.size <= extent) {
      if (extent % last.size != 0) return {};
      extent /= last.size;
      out.push_back(last);
      digits.pop_back();
      continue;
    }
    if (last.size % extent != 0) return {};
    IndexDigit minor{extent, last.over};
    last.size /= extent;
    if (last.over) {
      last.over->size = last.size;
      minor.over = AxisFactor{last.over->axis, last.over->pre * last.size, extent};
    }
    out.push_back(minor);
    extent = 1;
  }
  std::ranges::reverse(out);
  return out;
}

// The cuts that give each factor its digit: from the major digit on, each one in blocks of all digits below.
void add_cuts(const IndexDigits& digits, std::size_t dim, std::vector<ViewCut>& out) {
  Index below = 1;
  for (const IndexDigit& digit : digits) below *= digit.size;
  bool top = true;
  for (std::size_t k = 0; k < digits.size();) {
    if (!digits[k].over) {
      below /= digits[k].size;
      if (digits[k].size > 1) top = false;
      ++k;
      continue;
    }
    ViewCut cut;
    cut.cut.dim = static_cast<Index>(dim);
    for (; k < digits.size() && digits[k].over; ++k) {
      below /= digits[k].size;
      if (digits[k].size > 1) cut.over.push_back(*digits[k].over);
    }
    if (!top) cut.cut.rule = CutRule::cyclic;
    if (!top) cut.cut.size = below;
    if (!cut.over.empty()) out.push_back(std::move(cut));
  }
}

}  // namespace

std::vector<std::vector<DimCut>> cuts_by_dim(const BoundDistribution& bound) {
  std::vector<std::vector<DimCut>> out(bound.shape().size());
  for (DimCut cut : bound.distribution().cuts) {
    if (cut.dim < 0) cut.dim += std::ssize(out);
    out[static_cast<std::size_t>(cut.dim)].push_back(std::move(cut));
  }
  for (std::vector<DimCut>& cuts : out) {
    std::ranges::stable_sort(cuts, {}, [](const DimCut& cut) { return cut.order.value_or(0); });
    for (DimCut& cut : cuts) cut.order.reset();
  }
  return out;
}

std::optional<std::vector<ViewCut>> digit_cuts(const BoundDistribution& bound, const DimGroup& group,
                                               std::span<const Index> view) {
  const auto cuts = cuts_by_dim(bound);
  IndexDigits digits;
  for (std::size_t d = group.from_begin; d < group.from_end; ++d) {
    IndexDigits dim = {{bound.shape()[d]}};
    for (const DimCut& cut : cuts[d]) {
      if (!apply(dim, cut, bound.distribution().mesh)) return {};
    }
    for (const IndexDigit& digit : dim) {
      if (digit.size > 1) digits.push_back(digit);
    }
  }
  std::vector<IndexDigits> dims;
  for (std::size_t e = group.to_end; e-- > group.to_begin;) {
    auto dim = take_dim(digits, view[e]);
    if (!dim) return {};
    dims.push_back(std::move(*dim));
  }
  std::vector<ViewCut> out;
  for (std::size_t e = group.to_begin; e < group.to_end; ++e) add_cuts(dims[group.to_end - 1 - e], e, out);
  return out;
}

}  // namespace tessera::detail
