// SPDX-License-Identifier: Apache-2.0
#include "access/fixed_layouts.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tessera/algebra/detail/composed_layout.h"
#include "tessera/notation/conversion.h"

namespace tessera::detail {
namespace {

// The layout as a CuTe composition, if it has that form.
std::optional<ComposedLayout> chain_of(const Layout& layout) {
  if (layout.composed() != nullptr) return *layout.composed();
  if (layout.shape_stride() != nullptr) return ComposedLayout(*layout.shape_stride());
  const Result<Conversion> converted = convert(layout, Notation::cute);
  if (!converted || converted->layout.shape().size() != layout.shape().size()) return std::nullopt;
  return converted->layout.notation() == Notation::cute ? chain_of(converted->layout) : std::nullopt;
}

}  // namespace

std::optional<Layout> with_swizzle(const Swizzle& swizzle, const Layout& layout) {
  const std::optional<ComposedLayout> chain = chain_of(layout);
  if (!chain) return std::nullopt;
  const auto composed = make_composed(swizzle, 0, *chain);
  if (!composed) return std::nullopt;
  std::vector<Index> box(layout.shape().begin(), layout.shape().end());
  Result<Layout> out = Layout::make(*composed, std::move(box));
  if (!out) return std::nullopt;
  return *std::move(out);
}

Layout without_swizzle(const Layout& layout) {
  const ComposedLayout* chain = layout.composed();
  if (chain == nullptr || chain->parts != 2 || chain->part[0].kind != ComposedPart::Kind::swizzle ||
      chain->part[1].kind != ComposedPart::Kind::layout || chain->part[0].offset != 0)
    return layout;
  std::vector<Index> box(layout.shape().begin(), layout.shape().end());
  Result<Layout> out = Layout::make(chain->part[1].layout, std::move(box));
  return out ? *std::move(out) : layout;
}

std::optional<StridedLayout> plain_layout(const Layout& layout) {
  if (layout.is_cropped()) return std::nullopt;
  const std::optional<ComposedLayout> chain = chain_of(layout);
  if (!chain || chain->parts != 1 || chain->part[0].kind != ComposedPart::Kind::layout) return std::nullopt;
  return chain->part[0].layout;
}

std::optional<Layout> linear_layout(const Layout& layout, std::span<const Index> images) {
  std::optional<LinearLayout> bases = linear_form(layout);
  if (!bases) {
    const Result<Conversion> converted = convert(layout, Notation::linear);
    if (!converted || converted->layout.linear() == nullptr) return std::nullopt;
    bases = *converted->layout.linear();
  }
  std::vector<std::vector<Index>> moved;
  for (const std::vector<Index>& own : bases->bases()) {
    std::vector<Index>& out = moved.emplace_back();
    for (const Index offset : own) {
      Index image = 0;
      for (std::size_t k = 0; k < images.size(); ++k)
        if ((offset >> k & 1) != 0) image ^= images[k];
      out.push_back(image);
    }
  }
  Result<LinearLayout> fixed = LinearLayout::make(std::move(moved));
  if (!fixed) return std::nullopt;
  Result<Layout> out = Layout::make(*std::move(fixed));
  if (!out || !std::ranges::equal(out->shape(), layout.shape())) return std::nullopt;
  return *std::move(out);
}

}  // namespace tessera::detail
