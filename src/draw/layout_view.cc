// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "draw/coordinate_text.h"
#include "draw/limits.h"
#include "notation/to_digits.h"
#include "tessera/draw/layout_picture.h"
#include "tessera/notation/cute.h"

namespace tessera {
namespace {

// The CuTe layout whose nesting names the coordinates, or null.
const StridedLayout* bracketed(const Layout& layout) {
  if (layout.shape_stride() != nullptr) return layout.shape_stride();
  return layout.composed() != nullptr ? &layout.composed()->domain() : nullptr;
}

void add_leaves(const StridedLayout& l, std::vector<ViewDim>& dims) {
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const Cursor mode = mode_at(l.profile, static_cast<int>(i));
    const int end = after(l.profile, mode).leaf;
    Index div = 1;
    for (int leaf = mode.leaf; leaf < end; ++leaf) {
      dims[i].leaves.push_back(l.extent[leaf]);
      if (l.extent[leaf] == 1) continue;
      if (div > 1) dims[i].cuts.push_back(div);
      div *= l.extent[leaf];
    }
    if (dims[i].leaves.size() == 1) dims[i].leaves.clear();
    dims[i].name = fmt::format("mode {}", i);
  }
}

void add_digit_cuts(const Digits& digits, std::vector<ViewDim>& dims) {
  for (std::size_t i = 0; i < dims.size(); ++i) {
    for (const Digit& digit : digits.digits(i)) {
      if (digit.div > 1) dims[i].cuts.push_back(digit.div);
    }
  }
}

// Extends dimensions as far as the digits reach, unless most of the extension would be padding.
bool add_padding(const Digits& digits, std::vector<ViewDim>& dims) {
  Index elements = 1;
  Index all = 1;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const Index reach = std::max(dims[i].extent, digits.digit_extent(i));
    if (mul_overflows(elements, dims[i].extent, elements) || mul_overflows(all, reach, all)) return false;
  }
  if (elements == 0 || all == elements || all / (detail::kDrawLimits.padding_ratio + 1) > elements)
    return false;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    dims[i].drawn = std::max(dims[i].extent, digits.digit_extent(i));
  }
  return true;
}

std::string natural_text(const StridedLayout& l, std::span<const Index> index) {
  if (l.profile.is_leaf()) return fmt::format("{}", index[0]);
  IntTuple flat;
  IntTupleBuilder build(flat);
  build.tuple(static_cast<int>(index.size()));
  for (const Index i : index) build.leaf(i);
  const detail::Outcome<IntTuple> nested = detail::idx2crd(flat, l.shape());
  if (!nested) return coordinate_text(index);
  const std::string text = to_string(*nested);
  return text.substr(1, text.size() - 2);
}

}  // namespace

Index LayoutView::size() const {
  Index n = 1;
  for (const ViewDim& dim : dims) n *= dim.extent;
  return n;
}

Index LayoutView::linear_index(std::span<const Index> index) const {
  Index sum = 0;
  const std::size_t n = dims.size();
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t i = first_fastest ? n - 1 - k : k;
    sum = sum * dims[i].extent + index[i];
  }
  return sum;
}

LayoutView view_of(const Layout& layout, std::string text) {
  LayoutView view;
  view.text = std::move(text);
  view.first_fastest = layout.notation() == Notation::cute;
  view.bits = layout.element_bits();
  if (const Result<Index> buffer = layout.buffer_size()) view.buffer = *buffer;
  for (std::size_t i = 0; i < layout.rank(); ++i) {
    const Index extent = layout.shape()[i];
    view.dims.push_back({.name = fmt::format("d{}", i), .extent = extent, .drawn = extent});
  }
  const StridedLayout* nested = bracketed(layout);
  if (nested != nullptr) {
    add_leaves(*nested, view.dims);
    view.natural = [l = *nested](std::span<const Index> index) { return natural_text(l, index); };
  } else {
    view.natural = coordinate_text;
  }
  const Result<Digits> digits = to_digits(layout);
  if (digits && nested == nullptr) add_digit_cuts(*digits, view.dims);
  if (digits && add_padding(*digits, view.dims)) {
    view.offset = [d = *digits](std::span<const Index> index) { return d.offset(index); };
  } else {
    view.offset = [layout](std::span<const Index> index) { return layout.offset(index); };
  }
  return view;
}

}  // namespace tessera
