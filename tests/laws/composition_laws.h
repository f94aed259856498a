// SPDX-License-Identifier: Apache-2.0
/// \file
/// The laws of composition, with an oracle that enumerates values.
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "laws/algebra_laws.h"

namespace tessera::laws {

/// The values A(B(c)) for all c according to the definition, with the last mode of A unbounded.
inline std::vector<Index> composed_values(const StridedLayout& a, const StridedLayout& b) {
  std::vector<Index> out;
  for (const Index x : values(b)) out.push_back(defined_offset(a, x));
  return out;
}

/// The oracle for compositions: recognizes each leaf of B from its values alone, then compares all
/// coordinates. Empty if no layout exists.
inline std::optional<StridedLayout> oracle_composition(const StridedLayout& a, const StridedLayout& b) {
  StridedLayout out;
  LayoutBuilder build(out);
  int leaf = 0;
  for (int node = 0; node < b.profile.nodes; ++node) {
    if (!b.profile.is_leaf(node)) {
      build.tuple(b.profile.rank(node));
      continue;
    }
    const Index s = b.extent[leaf];
    const Index d = b.stride[leaf++];
    if (s == 1) {
      build.leaf(1, defined_offset(a, d));
      continue;
    }
    const detail::Outcome<StridedLayout> r =
        detail::recognise([&](Index k) { return defined_offset(a, k * d); }, s);
    if (!r) return std::nullopt;
    build.copy(*r);
  }
  if (values(out) != composed_values(a, b)) return std::nullopt;
  return out;
}

/// True if some layout of size n has the values f(0) … f(last). Tries every ordered factorization of n.
template <class F>
bool some_layout_agrees(F&& f, Index n, Index last, std::vector<Index> extents = {}) {
  Index done = 1;
  for (const Index e : extents) done *= e;
  if (done == n || done > last) {
    for (Index k = 0; k <= last; ++k) {
      Index sum = 0;
      Index weight = 1;
      for (std::size_t i = 0; i < extents.size(); ++i) {
        const Index digit = i + 1 < extents.size() || done < n ? k / weight % extents[i] : k / weight;
        sum += digit * (weight <= last ? f(weight) : 0);
        weight *= extents[i];
      }
      if (sum != f(k)) return false;
    }
    return true;
  }
  for (Index e = 2; e <= n / done; ++e) {
    if (n / done % e != 0) continue;
    std::vector<Index> more = extents;
    more.push_back(e);
    if (some_layout_agrees(f, n, last, more)) return true;
  }
  return false;
}

/// composition() succeeds iff a layout exists, and returns it. If it fails, its witness is a coordinate at
/// which every layout with the right values before it is wrong.
inline Held check_composition(const StridedLayout& a, const StridedLayout& b) {
  const std::string call = to_string(a) + " o " + to_string(b);
  const detail::Outcome<StridedLayout> r = detail::composition(a, b);
  const std::optional<StridedLayout> wanted = oracle_composition(a, b);
  if (!r) {
    if (r.error.code != Code::not_representable) return broken(call, "gave", detail::word(r.error.code));
    if (wanted) return broken(call, "is", to_string(*wanted), "but was refused");
    const Index k = r.error.witness;
    if (r.error.leaf < 0) {
      const Index x = defined_offset(b, k);
      if (defined_offset(a, x) != r.error.first || r.error.first == r.error.second)
        return broken(call, "carry witness", k);
    } else {
      const Index d = b.stride[r.error.leaf];
      const Index n = b.extent[r.error.leaf];
      const auto value = [&](Index i) { return defined_offset(a, i * d); };
      if (k < 1 || k >= n || value(k) != r.error.first) return broken(call, "witness", k);
      if (some_layout_agrees(value, n, k)) return broken(call, "witness", k, "is not final");
      if (!some_layout_agrees(value, n, k - 1)) return broken(call, "witness", k, "is not the smallest");
    }
    return held();
  }
  if (!wanted) return broken(call, "has no layout, but gave", to_string(*r));
  if (!(*r == *wanted)) return broken(call, "is", to_string(*wanted), "not", to_string(*r));
  if (!compatible(b.shape(), r->shape())) return broken(call, "has an incompatible shape", to_string(*r));
  return held();
}

/// (A o B) o C and A o (B o C) are equal functions if both exist and every intermediate value is inside the
/// next domain.
inline Held check_associativity(const StridedLayout& a, const StridedLayout& b, const StridedLayout& c) {
  if (image_min(c) < 0 || image_max(c) >= b.size() || image_min(b) < 0 || image_max(b) >= a.size())
    return held();
  const detail::Outcome<StridedLayout> ab = detail::composition(a, b);
  const detail::Outcome<StridedLayout> bc = detail::composition(b, c);
  if (!ab || !bc) return held();
  const detail::Outcome<StridedLayout> left = detail::composition(*ab, c);
  const detail::Outcome<StridedLayout> right = detail::composition(a, *bc);
  if (!left || !right) return held();
  return equal_function(*left, *right) ? held() : broken(to_string(a), to_string(b), to_string(c));
}

}  // namespace tessera::laws
