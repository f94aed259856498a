// SPDX-License-Identifier: Apache-2.0
#include "tessera/relayout/verify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "relayout/state.h"

namespace tessera {
namespace {

using relayout::Axis;
using relayout::Kind;
using relayout::Leaf;
using relayout::Part;

// Bytes [dst, dst + size) come from [src, src + size).
struct Move {
  Index dst = 0;
  Index src = 0;
  friend auto operator<=>(const Move&, const Move&) = default;
};

Failure wrong(std::string witness) {
  Diagnostic diagnostic{.code = Code::verify_failed, .message = "the plan does not do what the layouts say"};
  diagnostic.witness = std::move(witness);
  return fail(std::move(diagnostic));
}

template <class F>
void for_each_run(const Part& part, const F& f) {
  const Leaf& leaf = part.leaf;
  const auto region = [&](Index src, Index dst) {
    const auto at = [](const Index* table, Index stride, Index i) { return table ? table[i] : i * stride; };
    for (Index r = 0; r < leaf.rows.count; ++r) {
      for (Index c = 0; c < leaf.cols.count; ++c) {
        f(src + at(leaf.rows.src_table, leaf.rows.src, r) + at(leaf.cols.src_table, leaf.cols.src, c),
          dst + at(leaf.rows.dst_table, leaf.rows.dst, r) + at(leaf.cols.dst_table, leaf.cols.dst, c));
      }
    }
  };
  const auto nest = [&](const auto& self, std::uint32_t level, Index src, Index dst) -> void {
    if (level == leaf.loops) return region(src, dst);
    for (Index i = 0; i < leaf.loop[level].count; ++i)
      self(self, level + 1, src + i * leaf.loop[level].src, dst + i * leaf.loop[level].dst);
  };
  nest(nest, 0, part.src, part.dst);
}

// Bytes a part moves or fills, at most `limit` + 1.
Index bytes_of(const Part& part, Index limit) {
  Index bytes = part.leaf.run;
  const auto times = [&](Index count) {
    if (mul_overflows(bytes, count, bytes) || bytes > limit) bytes = limit + 1;
  };
  times(part.leaf.rows.count);
  times(part.leaf.cols.count);
  for (std::uint32_t k = 0; k < part.leaf.loops; ++k) times(part.leaf.loop[k].count);
  return bytes;
}

std::vector<Move> moves_of(const Layout& src, const Layout& dst, Index size, Index e) {
  std::vector<Move> moves;
  moves.reserve(static_cast<std::size_t>(size));
  const auto box = src.shape();
  std::vector<Index> index(box.size(), 0);
  for (Index n = 0; n < size; ++n) {
    moves.push_back({dst.offset(index) * e, src.offset(index) * e});
    for (std::size_t d = box.size(); d-- > 0;) {
      if (++index[d] < box[d]) break;
      index[d] = 0;
    }
  }
  return moves;
}

}  // namespace

Result<void> verify(const RelayoutPlan& plan, const Layout& src, const Layout& dst) {
  const RelayoutPlan::State& state = plan.state();
  const Index e = state.element_bytes;
  if (!std::ranges::equal(src.shape(), dst.shape())) {
    return fail(Code::different_shape, fmt::format("the source holds [{}] elements, the destination [{}]",
                                                   fmt::join(src.shape(), ","), fmt::join(dst.shape(), ",")));
  }
  Index size = std::ranges::find(src.shape(), 0) == src.shape().end() ? 1 : 0;
  for (const Index extent : src.shape()) {
    if (mul_overflows(size, extent, size)) size = kIndexMax;
  }
  Index filled = 0;
  for (const Part& part : state.parts) {
    if (part.leaf.kind == Kind::fill) filled += bytes_of(part, kVerifyLimit);
  }
  if (size > kVerifyLimit || filled > 16 * kVerifyLimit) {
    return fail(Code::undecided,
                fmt::format("the plan moves more than the {} elements that are looked at", kVerifyLimit));
  }
  const std::vector<Move> expected = [&] {
    auto moves = moves_of(src, dst, size, e);
    std::ranges::sort(moves);
    return moves;
  }();
  std::vector<Move> moved;
  std::vector<Index> set;
  Index strange = 0;
  if (state.general) moved = moves_of(state.general->src, state.general->dst, size, e);
  for (const Part& part : state.parts) {
    if (bytes_of(part, 16 * kVerifyLimit) > 16 * kVerifyLimit) return wrong("more bytes than the array has");
    for_each_run(part, [&](Index from, Index to) {
      if (part.leaf.run % e != 0) ++strange;
      for (Index i = 0; i < part.leaf.run / e; ++i) {
        if (part.leaf.kind == Kind::fill) {
          set.push_back(to + i * e);
        } else {
          moved.push_back({to + i * e, from + i * e});
        }
      }
    });
  }
  if (strange > 0) return wrong(fmt::format("runs that are no whole elements of {} bytes", e));
  std::ranges::sort(moved);
  const auto [want, have] = std::ranges::mismatch(expected, moved);
  if (want != expected.end() || have != moved.end()) {
    if (want == expected.end() || (have != moved.end() && have->dst < want->dst))
      return wrong(fmt::format("destination byte {} is written from byte {}, no element lies there, or twice",
                               have->dst, have->src));
    if (have == moved.end() || want->dst < have->dst)
      return wrong(fmt::format("destination byte {} is not written", want->dst));
    return wrong(
        fmt::format("destination byte {} comes from byte {}, not {}", want->dst, have->src, want->src));
  }
  if (!set.empty() && state.options.padding == Padding::keep) return wrong("padding is written");
  if (state.in_order) return {};
  for (const Index at : set) {
    const auto next = std::ranges::lower_bound(expected, at, {}, &Move::dst);
    if (next != expected.end() && next->dst == at)
      return wrong(fmt::format("destination byte {} is an element and is filled", at));
  }
  return {};
}

}  // namespace tessera
