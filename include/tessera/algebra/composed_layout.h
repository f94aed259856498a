// SPDX-License-Identifier: Apache-2.0
/// \file
/// ComposedLayout: `Sw<3,4,3> o _0 o (8,64):(64,1)`, a chain of swizzles, offsets and layouts; and Swizzle:
/// Sw<B,M,S>, some bits of an offset XORed with others.
#pragma once

#include "tessera/algebra/strided_layout.h"

namespace tessera {

/// Sw(x) = x xor ((x & Y) >> S) with Y = (2^B - 1) << (M + max(S,0)); a negative S shifts left. B >= 0, M >=
/// 0, |S| >= B, B + M + |S| <= 62: the bits read and the bits written do not overlap, so a swizzle is its own
/// inverse. It is linear over F2 and maps every aligned block of 2^(B+M+|S|) onto itself. Defined for x >= 0.
/// Example: Sw<3,0,3>(19) == 17.
struct Swizzle {
  int bits = 0;
  int base = 4;
  int shift = 3;

  /// The bits that are read, and the bits that are written.
  constexpr Index read_mask() const { return ((Index{1} << bits) - 1) << (base + (shift > 0 ? shift : 0)); }
  constexpr Index write_mask() const { return ((Index{1} << bits) - 1) << (base + (shift < 0 ? -shift : 0)); }
  constexpr Index operator()(Index x) const {
    const Index read = x & read_mask();
    return x ^ (shift >= 0 ? read >> shift : read << -shift);
  }
  constexpr bool is_identity() const { return bits == 0; }
  friend constexpr bool operator==(const Swizzle&, const Swizzle&) = default;
};

/// One link of a chain: v -> swizzle(offset + v) or layout(offset + v).
struct ComposedPart {
  enum class Kind : std::uint8_t { swizzle, layout };
  Kind kind = Kind::layout;
  Swizzle swizzle = {};
  StridedLayout layout = {};
  Index offset = 0;  ///< added to the value of the part to the right; 0 in the last part

  friend constexpr bool operator==(const ComposedPart& a, const ComposedPart& b) {
    return a.kind == b.kind && a.offset == b.offset &&
           (a.kind == Kind::swizzle ? a.swizzle == b.swizzle : a.layout == b.layout);
  }
};

/// c -> A(x + L(c)), applied from the right: 1 to 4 parts. The domain is the last part's: a layout's
/// coordinates, or all integers >= 0 when it is a swizzle. A chain has no strides of its own. Parts that do
/// nothing (an identity swizzle with offset 0) are dropped, except at the end.
struct ComposedLayout {
  static constexpr int kMaxParts = 4;
  int parts = 1;
  ComposedPart part[kMaxParts] = {};

  constexpr ComposedLayout() = default;
  constexpr explicit ComposedLayout(const StridedLayout& l) { part[0].layout = l; }
  constexpr explicit ComposedLayout(const Swizzle& s) {
    part[0].kind = ComposedPart::Kind::swizzle;
    part[0].swizzle = s;
  }

  constexpr const ComposedPart& last() const { return part[parts - 1]; }
  /// True when the last part is a layout, so the chain has a shape and a size.
  constexpr bool has_domain() const { return last().kind == ComposedPart::Kind::layout; }
  /// The last layout. Requires has_domain().
  constexpr const StridedLayout& domain() const { return last().layout; }
  constexpr Index size() const { return domain().size(); }
  /// The value at a coordinate of the domain with one number for each top-level mode, each in [0, size of the
  /// mode): `offset({2, 3})`. Requires has_domain(), integer strides, no negative value before a swizzle, and
  /// values that fit in 64 bits. O(leaves). Example: Sw<3,0,3> o _0 o (8,8):(8,1) has (1,1) at 8.
  constexpr Index offset(std::span<const Index> index) const {
    Index value = domain().offset(index);
    for (int i = parts - 1; i-- > 0;) {
      const ComposedPart& p = part[i];
      value += p.offset;
      value = p.kind == ComposedPart::Kind::swizzle ? p.swizzle(value) : p.layout(value);
    }
    return value;
  }
  constexpr Index offset(std::initializer_list<Index> index) const {
    return offset(std::span<const Index>(index.begin(), index.size()));
  }

  friend constexpr bool operator==(const ComposedLayout& a, const ComposedLayout& b) {
    if (a.parts != b.parts) return false;
    for (int i = 0; i < a.parts; ++i) {
      if (!(a.part[i] == b.part[i])) return false;
    }
    return true;
  }
};

/// A plain layout plus an offset: the result of simplify.
struct OffsetLayout {
  StridedLayout layout = {};
  Index offset = 0;
  friend constexpr bool operator==(const OffsetLayout&, const OffsetLayout&) = default;
};

}  // namespace tessera
