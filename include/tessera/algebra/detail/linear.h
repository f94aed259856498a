// SPDX-License-Identifier: Apache-2.0
/// \file
/// Bit-linear layouts: the value of a coordinate is the XOR of the values of its bits.
#pragma once

#include "tessera/algebra/detail/composed_layout.h"

namespace tessera {
namespace detail {
/// The table of bases of a layout with extents 2^k, if the value of every coordinate is the XOR of its bases,
/// which for strides >= 0 means that no two bases share a bit. Errors: not_representable with reason
/// not_power_of_two (`first` is the extent), negative_stride, or carry (`first` and `second` are two bases
/// that share a bit); unsupported_codomain. Example: to_linear("(4,8):(1,4)") is [1,2],[4,8,16].
constexpr Outcome<LinearBases> to_linear(const StridedLayout& l) {
  if (l.has_basis()) return refuse(Code::unsupported_codomain);
  AlgebraError no = {.failed = true, .code = Code::not_representable};
  Outcome<LinearBases> out;
  LinearBases& table = out.value;
  table.leaves = l.leaves();
  for (int i = 0; i < l.leaves(); ++i) {
    no.leaf = i;
    no.first = l.extent[i];
    no.second = l.stride[i];
    no.reason = AlgebraReason::not_power_of_two;
    if (detail::log2_exact(l.extent[i]) < 0) return no;
  }
  for (int i = 0; i < l.leaves(); ++i) {
    no.leaf = i;
    no.first = l.extent[i];
    no.second = l.stride[i];
    no.reason = AlgebraReason::negative_stride;
    if (l.stride[i] < 0 && l.extent[i] > 1) return no;
  }
  Index used = 0;
  int n = 0;
  for (int i = 0; i < l.leaves(); ++i) {
    table.bits[i] = static_cast<std::uint8_t>(detail::log2_exact(l.extent[i]));
    for (int b = 0; b < table.bits[i]; ++b) {
      const Index value = l.stride[i] << b;
      if ((used & value) != 0) {
        int other = 0;
        while ((table.basis[other] & value) == 0) ++other;
        no.leaf = i;
        no.reason = AlgebraReason::carry;
        no.first = table.basis[other];
        no.second = value;
        return no;
      }
      used |= value;
      table.basis[n++] = value;
    }
  }
  return out;
}

/// to_linear for a chain of swizzles applied to a layout: every basis is swizzled. Errors: as above;
/// nonzero_offset; unsupported_codomain (a chain of another form). Example: to_linear("Sw<3,0,3> o _0 o
/// (8,8):(8,1)") is [9,18,36],[1,2,4].
constexpr Outcome<LinearBases> to_linear(const ComposedLayout& c) {
  if (!c.has_domain()) return refuse(Code::unsupported_codomain);
  Outcome<LinearBases> out = to_linear(c.domain());
  if (!out) return out;
  for (int i = c.parts - 2; i >= 0; --i) {
    if (c.part[i].kind != ComposedPart::Kind::swizzle) return refuse(Code::unsupported_codomain);
    if (c.part[i].offset != 0) return refuse(Code::nonzero_offset, c.part[i].offset);
    for (int b = 0; b < out.value.total(); ++b) out.value.basis[b] = c.part[i].swizzle(out.value.basis[b]);
  }
  return out;
}

/// Sets `out` to the layout whose leaves have these bases, each swizzled by `s`, merged per leaf; false if
/// two bases share a bit.
constexpr bool unswizzled(const LinearBases& table, const Swizzle& s, Outcome<StridedLayout>& out) {
  Index used = 0;
  int n = 0;
  LayoutBuilder build(out.value);
  if (table.leaves != 1) build.tuple(table.leaves);
  for (int i = 0; i < table.leaves; ++i) {
    FlatModes modes;
    modes.count = 0;
    for (int b = 0; b < table.bits[i]; ++b, ++n) {
      const Index value = s(table.basis[n]);
      if ((used & value) != 0) return false;
      used |= value;
      push_merged(modes, 2, value, 0, NoTrace{});
    }
    build_flat(modes, build);
  }
  out.error = build.finish();
  return true;
}

/// The layout, or the swizzle of a layout, with these bases; one mode per entry of the table. Tries every
/// swizzle of the bits in use. Errors: not_representable (carry: no single swizzle separates the bases),
/// unsupported_codomain (a negative basis), overflow.
constexpr Outcome<ComposedLayout> from_linear(const LinearBases& table) {
  Index used = 0;
  for (int b = 0; b < table.total(); ++b) {
    if (table.basis[b] < 0) return refuse(Code::unsupported_codomain, table.basis[b]);
    used |= table.basis[b];
  }
  Outcome<StridedLayout> l;
  if (detail::unswizzled(table, Swizzle{0, 0, 0}, l)) {
    return l ? Outcome<ComposedLayout>(ComposedLayout(*l)) : l.error;
  }
  int width = 0;
  while (used >> width != 0) ++width;
  for (int bits = 1; 2 * bits <= width; ++bits) {
    for (int base = 0; base + 2 * bits <= width; ++base) {
      for (int distance = bits; base + bits + distance <= width; ++distance) {
        for (int shift : {distance, -distance}) {
          const Swizzle s{bits, base, shift};
          if (detail::unswizzled(table, s, l) && l.ok()) return make_composed(s, 0, *l);
        }
      }
    }
  }
  AlgebraError no = {.failed = true, .code = Code::not_representable, .reason = AlgebraReason::carry};
  no.first = used;
  return no;
}

}  // namespace detail

}  // namespace tessera
