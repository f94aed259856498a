// SPDX-License-Identifier: Apache-2.0
/// \file
/// Layouts for tests: parsing, random generation, and evaluation by the definition.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/notation/cute.h"

namespace tessera::laws {

/// The layout of a text; the test fails if it does not parse.
inline StridedLayout L(std::string_view text) {
  const Result<TrackedLayout> l = parse_cute_layout(text);
  EXPECT_TRUE(l.has_value()) << text;
  return l ? l->layout : StridedLayout{};
}
inline IntTuple T(std::string_view text) {
  const Result<TrackedCoord> c = parse_cute_coord(text);
  EXPECT_TRUE(c.has_value()) << text;
  return c ? c->coord.tuple : IntTuple{};
}
inline Coord C(std::string_view text) {
  const Result<TrackedCoord> c = parse_cute_coord(text);
  EXPECT_TRUE(c.has_value()) << text;
  return c ? c->coord : Coord{};
}
inline Tiler tiler_of(std::string_view text) {
  const Result<TrackedTiler> t = parse_cute_tiler(text);
  EXPECT_TRUE(t.has_value()) << text;
  return t ? t->tiler : Tiler{};
}
inline ComposedLayout X(std::string_view text) {
  const Result<TrackedComposed> c = parse_cute_expression(text);
  EXPECT_TRUE(c.has_value()) << text;
  return c ? c->layout : ComposedLayout{};
}

/// The text of a result, or `error` / `error(reason)`.
template <class V>
std::string shown(const detail::Outcome<V>& out) {
  if (out) return to_string(*out);
  const std::string reason = word(out.error.reason);
  return detail::word(out.error.code) + (reason.empty() ? "" : "(" + reason + ")");
}

/// The offset of a 1-D coordinate according to the definition, mode by mode: every mode but the last takes
/// the remainder modulo its size. Shares no code with StridedLayout::operator().
inline Index defined_offset(const StridedLayout& l, Index c, Cursor at = {}) {
  if (c < 0) return -defined_offset(l, -c, at);
  if (l.profile.is_leaf(at.node)) return c * l.stride[at.leaf];
  const int rank = l.profile.rank(at.node);
  Index sum = 0;
  for (int i = 0; i < rank; ++i) {
    const Cursor m = mode_at(l.profile, i, at);
    const Index n = l.size_at(m);
    sum += defined_offset(l, i + 1 < rank ? c % n : c, m);
    c /= n;
  }
  return sum;
}

/// Random numbers, extents and layouts from one seed.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  Index in(Index low, Index high) {
    return low + static_cast<Index>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool one_in(Index n) { return in(1, n) == 1; }
  template <class V>
  const V& pick(const std::vector<V>& from) {
    return from[static_cast<std::size_t>(in(0, static_cast<Index>(from.size()) - 1))];
  }
  Index extent() { return pick<Index>({1, 2, 2, 3, 4, 4, 5, 6, 8}); }

  /// Nested extents with at most `size` coordinates.
  IntTuple shape(Index size, int depth = 2) {
    IntTuple t;
    IntTupleBuilder build(t);
    Index room = size;
    add(build, room, depth, one_in(6));
    return t;
  }
  /// A layout of one of several kinds: compact in some order, with gaps, arbitrary, or with zero or negative
  /// strides.
  StridedLayout layout(Index size, bool negative = true) {
    const IntTuple s = shape(size);
    StridedLayout l = *detail::make_layout(s);
    const Index kind = in(0, 5);
    std::vector<int> order(static_cast<std::size_t>(l.leaves()));
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    std::shuffle(order.begin(), order.end(), engine_);
    Index cursor = one_in(3) ? in(1, 4) : 1;
    for (const int i : order) {
      if (kind == 5) {
        l.stride[i] = in(negative ? -12 : 0, 24);
        continue;
      }
      l.stride[i] = l.extent[i] == 1 ? in(0, 9) : cursor;
      cursor *= l.extent[i];
      if (kind == 2) cursor *= in(1, 3);
      if (kind == 3 && one_in(3)) l.stride[i] = 0;
      if (kind == 4 && negative && one_in(3)) l.stride[i] = -l.stride[i];
      if (kind == 1 && one_in(4)) cursor += in(1, 5);
    }
    return l;
  }
  StridedLayout power_of_two_layout(int bits) {
    IntTuple s;
    IntTupleBuilder build(s);
    const int leaves = static_cast<int>(in(1, 4));
    build.tuple(leaves);
    for (int i = 0; i < leaves; ++i) build.leaf(Index{1} << in(0, bits / leaves));
    std::vector<Index> order;
    IntTuple by;
    IntTupleBuilder orders(by);
    orders.tuple(leaves);
    for (int i = 0; i < leaves; ++i) orders.leaf(in(0, 9) * 10 + i);
    return *detail::make_ordered_layout(s, by);
  }

 private:
  void add(IntTupleBuilder& build, Index& room, int depth, bool leaf) {
    if (leaf || depth == 0) {
      Index e = extent();
      if (e > room) e = 1;
      room /= e;
      build.leaf(e);
      return;
    }
    const Index rank = in(1, 3);
    build.tuple(static_cast<int>(rank));
    for (Index i = 0; i < rank; ++i) add(build, room, depth - 1, !one_in(3));
  }

  std::mt19937_64 engine_;
};

/// The number of random cases of each law: TESSERA_LAW_CASES, or 5,000. The seed is TESSERA_SEED, or 1.
inline Index law_cases() {
  const char* text = std::getenv("TESSERA_LAW_CASES");
  return text != nullptr ? std::atoll(text) : 5000;
}
inline std::uint64_t law_seed() {
  const char* text = std::getenv("TESSERA_SEED");
  return text != nullptr ? static_cast<std::uint64_t>(std::atoll(text)) : 1;
}

/// Runs `law(random)` until it fails. A failure names the seed of its case.
template <class Law>
void for_random_cases(Law&& law) {
  const std::uint64_t seed = law_seed();
  for (Index i = 0; i < law_cases(); ++i) {
    Random random(seed * 1000003 + static_cast<std::uint64_t>(i));
    const testing::AssertionResult held = law(random);
    ASSERT_TRUE(held) << "seed " << seed << ", case " << i;
  }
}

}  // namespace tessera::laws
