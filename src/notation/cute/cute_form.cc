// SPDX-License-Identifier: Apache-2.0
#include "notation/cute/cute_form.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "notation/to_digits.h"
#include "tessera/algebra/detail/layout_algebra.h"
#include "tessera/notation/cute.h"

namespace tessera {
namespace {

// Bit k of a value >= 0.
Expr bit(Expr value, int k) { return mod(floor_div(value, Index{1} << k), 2); }

// x xor ((x & read) >> shift): each written bit becomes the sum of two bits modulo 2.
Expr swizzled(const Swizzle& swizzle, Expr value) {
  Expr sum = value;
  const int written = swizzle.base + (swizzle.shift < 0 ? -swizzle.shift : 0);
  const int read = swizzle.base + (swizzle.shift > 0 ? swizzle.shift : 0);
  for (int i = 0; i < swizzle.bits; ++i) {
    const Expr own = bit(value, written + i);
    const Expr flipped = mod(own + bit(value, read + i), 2);
    sum = sum + (flipped - own) * (Index{1} << (written + i));
  }
  return sum;
}

// The offset of a 1-D coordinate >= 0: digits by mod and div; the last digit takes the rest.
Expr at_coordinate(const StridedLayout& layout, Expr value) {
  Expr sum = Expr::constant(0);
  Index div = 1;
  for (int i = 0; i < layout.leaves(); ++i) {
    Expr digit = floor_div(value, div);
    if (i + 1 < layout.leaves()) digit = mod(digit, layout.extent[i]);
    sum = sum + digit * layout.stride[i];
    div *= layout.extent[i];
  }
  return sum;
}

Expr of_part(const ComposedPart& part, Expr value, bool may_be_negative) {
  const Expr shifted = value + part.offset;
  if (part.kind == ComposedPart::Kind::swizzle) return swizzled(part.swizzle, shifted);
  if (!may_be_negative) return at_coordinate(part.layout, shifted);
  // L(x) = L(max(x, 0)) - L(max(-x, 0)), because layouts are odd functions.
  const Expr zero = Expr::constant(0);
  return at_coordinate(part.layout, max(shifted, zero)) - at_coordinate(part.layout, max(-shifted, zero));
}

std::string with_crop(std::string text, std::span<const Index> shape, bool is_cropped) {
  return is_cropped ? fmt::format("{} crop ({})", text, fmt::join(shape, ",")) : text;
}

detail::Outcome<StridedLayout> selected_modes(const StridedLayout& layout, std::span<const Index> axes) {
  return detail::select(layout, axes.data(), static_cast<int>(axes.size()));
}

std::vector<Index> crop_of(const Layout& layout, std::span<const Index> axes, bool is_cropped) {
  return is_cropped ? detail::permuted<Index>(layout.shape(), axes) : std::vector<Index>{};
}

}  // namespace

namespace detail {

std::string CuteForm::text(std::span<const Index> shape) const {
  return with_crop(to_string(get()), shape, is_cropped_);
}
std::string CuteForm::order() const { return "CuTe: leftmost mode fastest"; }

std::optional<Result<Layout>> CuteForm::transposed(const Layout& self, std::span<const Index> axes,
                                                   std::span<const Index>) const {
  const Outcome<StridedLayout> modes = selected_modes(get(), axes);
  if (!modes) return std::nullopt;
  return Layout::make(*modes, crop_of(self, axes, is_cropped_));
}

std::string CuteChainForm::text(std::span<const Index> shape) const {
  return with_crop(to_string(chain_), shape, is_cropped_);
}
std::string CuteChainForm::order() const { return "CuTe: leftmost mode fastest"; }

Index CuteChainForm::offset(std::span<const Index> index) const {
  return *push(chain_, chain_.parts - 1, last_.offset(index));
}

IndexMap CuteChainForm::to_index_map(std::span<const Index> shape) const {
  if (const auto linear = linear_form(shape))
    return IndexMap::make_unchecked(Domain::box(shape), {linear->to_index_map().results()[0]});
  const ComposedLayout& chain = chain_;
  const Digits inner = tessera::to_digits(chain.domain(), shape);
  Expr value = inner.to_index_map().results()[0];
  bool may_be_negative = inner.image_bounds().lower < 0;
  for (int i = chain.parts - 1; i-- > 0;) {
    const ComposedPart& part = chain.part[i];
    // If the bounds do not decide the sign, use the form that is correct for both signs.
    may_be_negative = may_be_negative || part.offset < 0 ||
                      (i + 2 < chain.parts && chain.part[i + 1].kind == ComposedPart::Kind::layout);
    value = of_part(part, value, may_be_negative);
    if (part.kind == ComposedPart::Kind::swizzle) may_be_negative = false;
  }
  return IndexMap::make_unchecked(Domain::box(shape), {value});
}

std::optional<LinearLayout> CuteChainForm::linear_form(std::span<const Index> shape) const {
  const Outcome<LinearBases> table = to_linear(chain_);
  if (!table) return std::nullopt;
  // Collects the bases of each mode from its leaves, which are consecutive.
  std::vector<std::vector<Index>> bases;
  int next = 0;
  const StridedLayout& domain = chain_.domain();
  Cursor mode = first_mode(domain.profile);
  for (int i = 0; i < domain.rank(); ++i) {
    const Cursor end = after(domain.profile, mode);
    std::vector<Index>& own = bases.emplace_back();
    for (int leaf = mode.leaf; leaf < end.leaf; ++leaf) {
      for (int k = 0; k < table->bits[leaf]; ++k) own.push_back(table->basis[next++]);
    }
    // A crop leaves the upper bits unused.
    while (!own.empty() && (Index{1} << (own.size() - 1)) >= shape[static_cast<std::size_t>(i)])
      own.pop_back();
    mode = end;
  }
  auto made = LinearLayout::make(std::move(bases));
  if (!made) return std::nullopt;
  return *std::move(made);
}

std::optional<Result<Layout>> CuteChainForm::transposed(const Layout& self, std::span<const Index> axes,
                                                        std::span<const Index>) const {
  const Outcome<StridedLayout> modes = selected_modes(chain_.domain(), axes);
  const Outcome<ComposedLayout> chain = with_domain(chain_, modes);
  if (!chain) return std::nullopt;
  return Layout::make(*chain, crop_of(self, axes, is_cropped_));
}

}  // namespace detail
}  // namespace tessera
