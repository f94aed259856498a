// SPDX-License-Identifier: Apache-2.0
// Layouts as index maps.
#include "notation/to_digits.h"
#include "tessera/notation/layout.h"

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

// A layout at a 1-D coordinate >= 0: digits by mod and div, of which the last takes the rest.
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
  // Layouts are odd functions.
  const Expr zero = Expr::constant(0);
  return at_coordinate(part.layout, max(shifted, zero)) - at_coordinate(part.layout, max(-shifted, zero));
}

}  // namespace

IndexMap lower(const Layout& layout) {
  if (const IndexMap* map = layout.index_map()) return *map;
  if (const Digits* digits = layout.known_digits()) return digits->to_index_map();
  if (const TiledMap* tiled = layout.tiled_map()) return tiled->to_index_map();
  if (const auto linear = linear_form(layout)) {
    return IndexMap::make_unchecked(Domain::box(layout.shape()), {linear->to_index_map().results()[0]});
  }
  const ComposedLayout& chain = *layout.composed();
  const Digits inner = to_digits(chain.domain(), layout.shape());
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
  return IndexMap::make_unchecked(Domain::box(layout.shape()), {value});
}

}  // namespace tessera
