// SPDX-License-Identifier: Apache-2.0
#include "tessera/relayout/verify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "relayout/prove.h"
#include "relayout/state.h"

namespace tessera {
namespace {

using relayout::Axis;
using relayout::Kind;
using relayout::Leaf;
using relayout::Part;

// Elements of padding that are looked at.
constexpr Index kFillLimit = Index{1} << 26;

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

// Every element once, from its place: element by element.
Result<void> check_moves(const RelayoutPlan::State& state, const Layout& src, const Layout& dst, Index size) {
  const Index e = state.element_bytes;
  auto expected = moves_of(src, dst, size, e);
  std::ranges::sort(expected);
  std::vector<Move> moved;
  if (state.general) moved = moves_of(state.general->src, state.general->dst, size, e);
  for (const Part& part : state.parts) {
    if (part.leaf.kind == Kind::fill) continue;
    if (part.leaf.run % e != 0)
      return wrong(fmt::format("runs of {} bytes are no whole elements of {}", part.leaf.run, e));
    if (bytes_of(part, state.payload) > state.payload)
      return wrong("more bytes are moved than the array has");
    for_each_run(part, [&](Index from, Index to) {
      for (Index i = 0; i < part.leaf.run; i += e) moved.push_back({to + i, from + i});
    });
  }
  std::ranges::sort(moved);
  const auto [want, have] = std::ranges::mismatch(expected, moved);
  if (want == expected.end() && have == moved.end()) return {};
  if (want == expected.end() || (have != moved.end() && have->dst < want->dst)) {
    return wrong(fmt::format("destination byte {} is written from byte {}, where no element lies, or twice",
                             have->dst, have->src));
  }
  if (have == moved.end() || want->dst < have->dst)
    return wrong(fmt::format("destination byte {} is not written", want->dst));
  return wrong(
      fmt::format("destination byte {} comes from byte {}, not {}", want->dst, have->src, want->src));
}

// Filled bytes are those of padding, all of them, each once.
Result<void> check_fills(const RelayoutPlan::State& state, const Layout& dst, Index size) {
  const Index e = state.element_bytes;
  Index filled = 0;
  bool moved = false;
  for (const Part& part : state.parts) {
    if (part.leaf.kind != Kind::fill) {
      moved = true;
      continue;
    }
    if (part.leaf.run % e != 0 || part.dst % e != 0) return wrong("padding is set that is no whole element");
    if (state.in_order && moved) return wrong("padding is set after elements");
    filled += bytes_of(part, kFillLimit) / e;
  }
  if (filled == 0) return {};
  if (state.options.padding == Padding::keep) return wrong("padding is set that should stay");
  if (state.in_order) return {};  // the elements come later
  const auto elements = dst.buffer_size();
  if (!elements) return fail(elements.error());
  if (filled > kFillLimit || *elements > kFillLimit) {
    return fail(Code::undecided,
                fmt::format("more than the {} elements of padding that are looked at", kFillLimit));
  }
  std::vector<bool> set(static_cast<std::size_t>(*elements), false);
  Index twice = -1;
  for (const Part& part : state.parts) {
    if (part.leaf.kind != Kind::fill) continue;
    for_each_run(part, [&](Index, Index to) {
      for (Index i = to / e; i < (to + part.leaf.run) / e; ++i) {
        if (i < 0 || i >= *elements || set[static_cast<std::size_t>(i)]) {
          twice = i;
        } else {
          set[static_cast<std::size_t>(i)] = true;
        }
      }
    });
  }
  if (twice != -1) return wrong(fmt::format("destination offset {} is set twice, or is outside", twice));
  if (filled != *elements - size) return wrong("some padding is not set");
  std::vector<Index> index(dst.rank(), 0);
  for (Index n = 0; n < size; ++n) {
    if (set[static_cast<std::size_t>(dst.offset(index))])
      return wrong(fmt::format("destination offset {} is an element and is filled", dst.offset(index)));
    for (std::size_t d = dst.rank(); d-- > 0;) {
      if (++index[d] < dst.shape()[d]) break;
      index[d] = 0;
    }
  }
  return {};
}

bool proved(const RelayoutPlan::State& state, const Layout& src, const Layout& dst) {
  // The last resort asks the layouts themselves.
  if (state.general) return state.general->src == src && state.general->dst == dst;
  const auto from = to_digits(src);
  const auto to = to_digits(dst);
  return from && to && relayout::prove(state, *from, *to);
}

}  // namespace

Result<void> verify(const RelayoutPlan& plan, const Layout& src, const Layout& dst) {
  const RelayoutPlan::State& state = plan.state();
  if (!std::ranges::equal(src.shape(), dst.shape())) {
    return fail(Code::different_shape, fmt::format("the source holds [{}] elements, the destination [{}]",
                                                   fmt::join(src.shape(), ","), fmt::join(dst.shape(), ",")));
  }
  Index size = std::ranges::find(src.shape(), 0) == src.shape().end() ? 1 : 0;
  for (const Index extent : src.shape()) {
    if (mul_overflows(size, extent, size)) size = kIndexMax;
  }
  Index payload = 0;
  if (mul_overflows(size, state.element_bytes, payload) || payload != state.payload)
    return wrong(fmt::format("the plan is for {} bytes, the array has {} elements", state.payload, size));
  if (!proved(state, src, dst)) {
    if (size > kVerifyLimit) {
      return fail(Code::undecided,
                  fmt::format("the plan moves more than the {} elements that are looked at", kVerifyLimit));
    }
    if (auto right = check_moves(state, src, dst, size); !right) return right;
  }
  return check_fills(state, dst, size);
}

}  // namespace tessera
