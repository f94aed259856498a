// SPDX-License-Identifier: Apache-2.0
/// \file
/// The laws of recasts, by the place of every small element.
#pragma once

#include <optional>

#include "laws/algebra_laws.h"

namespace tessera::laws {

/// The value of a chain according to the definition, empty if a swizzle would be applied to a number < 0.
inline std::optional<Index> defined_value(const ComposedLayout& c, Index i) {
  for (int p = c.parts; p-- > 0;) {
    const ComposedPart& part = c.part[p];
    i += part.offset;
    if (part.kind == ComposedPart::Kind::layout) {
      i = defined_offset(part.layout, i);
      continue;
    }
    if (i < 0 && part.swizzle.bits > 0) return std::nullopt;
    for (int b = 0; b < part.swizzle.bits; ++b) {
      const int read = part.swizzle.base + b + std::max(part.swizzle.shift, 0);
      const int write = part.swizzle.base + b - std::min(part.swizzle.shift, 0);
      i ^= ((i >> read) & 1) << write;
    }
  }
  return i;
}

/// The coordinate of the wide element of coordinate `i`: each digit divided by the small elements that upcast
/// joins along its mode.
inline Index wide_coordinate(const StridedLayout& l, const StridedLayout& wide, Index n, Index i) {
  Index at = 0;
  Index weight = 1;
  for (int k = 0; k < l.leaves(); ++k) {
    const Index d = std::abs(l.stride[k]);
    const Index joined = d == 0 || d >= n ? 1 : n / d;
    at += i % l.extent[k] / joined * weight;
    i /= l.extent[k];
    weight *= wide.extent[k];
  }
  return at;
}

/// upcast(l, n) names the wide element of every small one exactly at the alignments of the base that
/// upcast_alignments() gives, and refuses windows that fit at none.
inline Held check_upcast(const StridedLayout& l, Index n) {
  const detail::Outcome<StridedLayout> r = detail::upcast(l, n);
  StridedLayout wide = l;
  detail::Alignments said{0, -1};
  if (r) {
    wide = *r;
    said = detail::upcast_alignments(l, n);
  } else if (r.error.reason == detail::AlgebraReason::window) {
    for (int k = 0; k < l.leaves(); ++k) {
      const Index d = std::abs(l.stride[k]);
      if (d == 0) continue;
      const Index joined = d >= n ? 1 : n / d;
      wide.extent[k] = (l.extent[k] + joined - 1) / joined;
      wide.stride[k] = (d >= n ? d / n : 1) * (l.stride[k] < 0 ? -1 : 1);
    }
  } else {
    return held();
  }
  for (Index base = 0; base < n; ++base) {
    bool right = true;
    for (Index i = 0; i < l.size() && right; ++i) {
      right =
          floor_div(base + defined_offset(l, i), n) == defined_offset(wide, wide_coordinate(l, wide, n, i));
    }
    if (right != (said.first <= base && base <= said.last))
      return broken("upcast of", to_string(l), "by", n, "with the base at", base);
  }
  return held();
}

/// upcast() of a chain names the wide element of every small one. If it is refused because of its offset,
/// some small elements that upcast would join lie in different wide elements.
inline Held check_upcast_chain(const ComposedLayout& c, Index n) {
  const detail::Outcome<ComposedLayout> r = detail::upcast(c, n);
  const StridedLayout& l = c.domain();
  const detail::Outcome<StridedLayout> wide = detail::upcast(l, n);
  if (!wide) return r ? broken("upcast of", to_string(c), "by", n, "without its last layout") : held();
  bool joined = true;
  bool ordered = true;
  std::vector<std::optional<Index>> word(static_cast<std::size_t>(wide->size()));
  for (Index i = 0; i < l.size(); ++i) {
    const Index at = wide_coordinate(l, *wide, n, i);
    const std::optional<Index> v = defined_value(c, i);
    if (!v) continue;
    std::optional<Index>& own = word[static_cast<std::size_t>(at)];
    joined = joined && (!own || *own == floor_div(*v, n));
    own = floor_div(*v, n);
    if (!r) continue;
    const std::optional<Index> named = defined_value(*r, at);
    if (!named || *named != *own)
      return broken("upcast of", to_string(c), "by", n, "is", to_string(*r), "at", i);
    Index straight = defined_offset(l, i);
    for (int p = 0; p + 1 < c.parts; ++p) straight += c.part[p].offset;
    ordered = ordered && mod(straight, n) == mod(*v, n);
  }
  if (r) {
    const detail::Outcome<bool> said = detail::upcast_keeps_order(c, n);
    return !said || *said == ordered ? held() : broken("order in upcast of", to_string(c), "by", n);
  }
  const bool decided = c.parts == 2 && r.error.reason == detail::AlgebraReason::alignment;
  bool all = true;
  for (Index i = 0; i < l.size(); ++i) all = all && defined_value(c, i).has_value();
  return decided && all && joined ? broken("upcast of", to_string(c), "by", n, "exists") : held();
}

/// downcast() of a chain with one mode of stride 1 or -1 names the n parts of every element.
inline Held check_downcast_chain(const ComposedLayout& c, Index n) {
  const detail::Outcome<ComposedLayout> r = detail::downcast(c, n);
  const detail::UnitModes unit = detail::unit_modes(c.domain());
  if (!r || unit.positive + unit.negative != 1) return held();
  std::multiset<Index> wanted;
  std::multiset<Index> got;
  for (Index i = 0; i < c.size(); ++i) {
    const std::optional<Index> v = defined_value(c, i);
    if (!v) return held();
    for (Index k = 0; k < n; ++k) wanted.insert(*v * n + k);
  }
  for (Index i = 0; i < r->size(); ++i) got.insert(defined_value(*r, i).value_or(-1));
  return got == wanted ? held() : broken("downcast of", to_string(c), "by", n, "is", to_string(*r));
}

}  // namespace tessera::laws
