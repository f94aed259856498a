// SPDX-License-Identifier: Apache-2.0
/// \file
/// Profile: the nesting of a tuple without its numbers.
#pragma once

#include <cstdint>

#include "tessera/algebra/detail/outcome.h"

namespace tessera {

/// A layout has at most 62 modes of extent >= 2, because its size fits in 63 bits; two more allow for extents
/// of 1.
inline constexpr int kMaxLeaves = 64;
/// The most leaves and pairs of brackets together.
inline constexpr int kMaxNodes = 192;

/// A tree in preorder with at most kMaxNodes nodes (one more in a Tiler) and kMaxLeaves leaves; unused bytes
/// are zero. The members are public only so that a profile can be part of a template argument: make one with
/// ProfileBuilder.
struct Profile {
  static constexpr std::uint8_t kLeaf = 1;   ///< the byte of a leaf
  static constexpr std::uint8_t kTuple = 2;  ///< the byte of a tuple of k elements is kTuple + k

  std::uint8_t nodes = 1;
  std::uint8_t leaves = 1;
  /// Six bytes more, one of them for `tuple_of`, so that a layout has no padding: in a template argument,
  /// clang 19 computes wrong run-time addresses for members after padding.
  std::uint8_t node[kMaxNodes + 6] = {kLeaf};

  constexpr bool is_leaf(int at = 0) const { return node[at] == kLeaf; }
  /// The number of elements of the tuple at a node; 1 for a leaf.
  constexpr int rank(int at = 0) const { return is_leaf(at) ? 1 : node[at] - kTuple; }

  friend constexpr bool operator==(const Profile& a, const Profile& b) {
    if (a.nodes != b.nodes || a.leaves != b.leaves) return false;
    for (int i = 0; i < a.nodes; ++i) {
      if (a.node[i] != b.node[i]) return false;
    }
    return true;
  }
};

/// A position in a profile: the node, and the number of leaves before it.
struct Cursor {
  int node = 0;
  int leaf = 0;
  friend constexpr bool operator==(const Cursor&, const Cursor&) = default;
};

/// The position after the sub-tree at `at`.
constexpr Cursor after(const Profile& p, Cursor at) {
  for (int pending = 1; pending > 0; --pending) {
    const int byte = p.node[at.node++];
    if (byte == Profile::kLeaf) {
      ++at.leaf;
    } else {
      pending += byte - Profile::kTuple;
    }
  }
  return at;
}

/// The first element of the tuple at `at`; a leaf is its own first element.
constexpr Cursor first_mode(const Profile& p, Cursor at = {}) {
  return p.is_leaf(at.node) ? at : Cursor{at.node + 1, at.leaf};
}

/// Element `i` of the tuple at `at`; requires 0 <= i < rank.
constexpr Cursor mode_at(const Profile& p, int i, Cursor at = {}) {
  Cursor mode = first_mode(p, at);
  for (; i > 0; --i) mode = after(p, mode);
  return mode;
}

/// The number of leaves of the sub-tree at `at`.
constexpr int leaf_count(const Profile& p, Cursor at) { return after(p, at).leaf - at.leaf; }

/// 0 for a leaf, 1 + the largest depth of the elements for a tuple.
constexpr int depth(const Profile& p, Cursor at = {}) {
  if (p.is_leaf(at.node)) return 0;
  int deepest = 0;
  Cursor mode = first_mode(p, at);
  for (int i = p.rank(at.node); i > 0; --i, mode = after(p, mode)) {
    const int d = depth(p, mode);
    if (d > deepest) deepest = d;
  }
  return deepest + 1;
}

/// Whether both have the same nesting.
constexpr bool congruent(const Profile& a, const Profile& b) { return a == b; }

/// Whether `b` refines the nesting of `a`: a is a leaf, or both are tuples of the same rank and each element
/// of b refines that of a.
constexpr bool weakly_congruent(const Profile& a, const Profile& b, Cursor ca = {}, Cursor cb = {}) {
  if (a.is_leaf(ca.node)) return true;
  if (b.is_leaf(cb.node) || a.rank(ca.node) != b.rank(cb.node)) return false;
  Cursor ma = first_mode(a, ca);
  Cursor mb = first_mode(b, cb);
  for (int i = a.rank(ca.node); i > 0; --i, ma = after(a, ma), mb = after(b, mb)) {
    if (!weakly_congruent(a, b, ma, mb)) return false;
  }
  return true;
}

/// The tuple with one element of this nesting; it may have one node more than kMaxNodes.
constexpr Profile tuple_of(const Profile& element) {
  Profile out;
  out.nodes = static_cast<std::uint8_t>(element.nodes + 1);
  out.leaves = element.leaves;
  out.node[0] = Profile::kTuple + 1;
  for (int i = 0; i < element.nodes; ++i) out.node[i + 1] = element.node[i];
  return out;
}

/// Writes a profile in preorder: tuple(k), then its k elements. Sets `full` if the profile does not fit.
struct ProfileBuilder {
  Profile& out;
  bool full = false;

  constexpr explicit ProfileBuilder(Profile& target) : out(target) {
    out.nodes = 0;
    out.leaves = 0;
    out.node[0] = 0;
  }
  /// Returns the node, so that its rank can be set later.
  constexpr int tuple(int rank = 0) {
    if (out.nodes == kMaxNodes) {
      full = true;
      return 0;
    }
    out.node[out.nodes] = static_cast<std::uint8_t>(Profile::kTuple + rank);
    return out.nodes++;
  }
  constexpr void set_rank(int node, int rank) {
    out.node[node] = static_cast<std::uint8_t>(Profile::kTuple + rank);
  }
  /// Returns the number of the leaf, or -1 if there are too many.
  constexpr int leaf() {
    if (out.nodes == kMaxNodes || out.leaves == kMaxLeaves) {
      full = true;
      return -1;
    }
    out.node[out.nodes++] = Profile::kLeaf;
    return out.leaves++;
  }
  constexpr detail::AlgebraError error() const {
    return full ? detail::refuse(Code::capacity, kMaxLeaves + 1, kMaxLeaves) : detail::AlgebraError{};
  }
};

}  // namespace tessera
