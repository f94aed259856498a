// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/index_walk.h"
#include "base/plural.h"
#include "base/state_of.h"
#include "relayout/limits.h"
#include "relayout/plan/padding.h"
#include "relayout/proof/prove.h"
#include "relayout/state.h"
#include "tessera/relayout/plan.h"

namespace tessera {
namespace {

using moving::Sweep;
using moving::SweepAxis;
namespace mover = moving::mover;
using moving::PlanPart;

// Bytes [dst, dst + size) come from [src, src + size).
struct Move {
  Index dst = 0;
  Index src = 0;
  friend auto operator<=>(const Move&, const Move&) = default;
};

Failure wrong(std::string witness) {
  Diagnostic diagnostic{.code = Code::verify_failed, .message = "the plan does not do what the layouts say"};
  diagnostic.witness = std::move(witness);
  diagnostic.help = "make it again for these layouts: tessera plan --from LAYOUT --to LAYOUT";
  return fail(std::move(diagnostic));
}

// Calls f(count, step) for every axis and loop of a fill, with its step in the destination. Fills have no
// tables.
template <class F>
void for_each_step(const Sweep& sweep, const F& f) {
  const auto step = [&](Index count, Index dst) {
    if (count > 1) f(count, dst);
  };
  step(sweep.rows.count, sweep.rows.dst);
  step(sweep.cols.count, sweep.cols.dst);
  for (std::uint32_t k = 0; k < sweep.loops; ++k) step(sweep.loop[k].count, sweep.loop[k].dst);
}

template <class F>
void for_each_run(const PlanPart& part, const F& f) {
  const Sweep& sweep = part.sweep;
  const auto region = [&](Index src, Index dst) {
    const auto at = [](const Index* table, Index stride, Index i) { return table ? table[i] : i * stride; };
    for (Index r = 0; r < sweep.rows.count; ++r) {
      for (Index c = 0; c < sweep.cols.count; ++c) {
        f(src + at(sweep.rows.src_table, sweep.rows.src, r) + at(sweep.cols.src_table, sweep.cols.src, c),
          dst + at(sweep.rows.dst_table, sweep.rows.dst, r) + at(sweep.cols.dst_table, sweep.cols.dst, c));
      }
    }
  };
  const auto nest = [&](const auto& self, std::uint32_t level, Index src, Index dst) -> void {
    if (level == sweep.loops) return region(src, dst);
    for (Index i = 0; i < sweep.loop[level].count; ++i)
      self(self, level + 1, src + i * sweep.loop[level].src, dst + i * sweep.loop[level].dst);
  };
  nest(nest, 0, part.src, part.dst);
}

// The number of bytes that a part moves or fills, or `limit` + 1 if there are more than `limit`.
Index bytes_of(const PlanPart& part, Index limit) {
  Index bytes = part.sweep.run;
  const auto times = [&](Index count) {
    if (mul_overflows(bytes, count, bytes) || bytes > limit) bytes = limit + 1;
  };
  times(part.sweep.rows.count);
  times(part.sweep.cols.count);
  for (std::uint32_t k = 0; k < part.sweep.loops; ++k) times(part.sweep.loop[k].count);
  return bytes;
}

std::vector<Move> moves_of(const Layout& src, const Layout& dst, Index size, Index e) {
  std::vector<Move> moves;
  moves.reserve(static_cast<std::size_t>(size));
  const auto box = src.shape();
  std::vector<Index> index(box.size(), 0);
  for (Index n = 0; n < size; ++n) {
    moves.push_back({dst.offset(index) * e, src.offset(index) * e});
    detail::next_index(index, box);
  }
  return moves;
}

// Checks by enumeration that every element is written once, from its source offset.
Result<void> check_moves(const RelayoutPlan::State& state, const Layout& src, const Layout& dst, Index size) {
  const Index e = state.element_bytes;
  auto expected = moves_of(src, dst, size, e);
  std::ranges::sort(expected);
  std::vector<Move> moved;
  if (state.elementwise) {
    if (state.elementwise->src().size() != size) return wrong("it moves the elements of another array");
    moved = moves_of(state.elementwise->src(), state.elementwise->dst(), size, e);
  }
  for (const PlanPart& part : state.parts) {
    if (part.sweep.is<mover::Fill>()) continue;
    if (part.sweep.run % e != 0)
      return wrong(fmt::format("a run of {} is not a whole number of elements of {}",
                               detail::plural(part.sweep.run, "byte"), detail::plural(e, "byte")));
    if (bytes_of(part, state.payload) > state.payload) return wrong("it moves more bytes than the array has");
    for_each_run(part, [&](Index from, Index to) {
      for (Index i = 0; i < part.sweep.run; i += e) moved.push_back({to + i, from + i});
    });
  }
  std::ranges::sort(moved);
  const auto [want, have] = std::ranges::mismatch(expected, moved);
  if (want == expected.end() && have == moved.end()) return {};
  if (want == expected.end() || (have != moved.end() && have->dst < want->dst)) {
    return wrong(fmt::format(
        "destination byte {}, written from byte {}, is not the first byte of an element, or is written twice",
        have->dst, have->src));
  }
  if (have == moved.end() || want->dst < have->dst)
    return wrong(fmt::format("destination byte {} is not written", want->dst));
  return wrong(
      fmt::format("destination byte {} comes from byte {}, not {}", want->dst, have->src, want->src));
}

// True if the part's start, its runs and all of its steps are whole elements.
bool sets_whole_elements(const PlanPart& part, Index e) {
  const Sweep& sweep = part.sweep;
  bool whole = part.dst % e == 0 && sweep.run % e == 0;
  for_each_step(sweep, [&](Index, Index step) { whole = whole && step % e == 0; });
  return whole;
}

// True if a fill sets each element of its runs to `value`. Kernels repeat a pattern of 16 bytes along a run.
bool sets_to(const Sweep& sweep, const mover::Fill& fill, const std::array<std::byte, 16>& value, Index e) {
  const auto& pattern = fill.pattern;
  const auto byte_at = [&](Index i) {
    return i % e < 16 ? value[static_cast<std::size_t>(i % e)] : std::byte{0};
  };
  const Index period = std::min<Index>(sweep.run, 16);
  for (Index i = 0; i < period; ++i) {
    if (pattern[static_cast<std::size_t>(i)] != byte_at(i)) return false;
  }
  if (sweep.run <= 16 || 16 % e == 0) return true;
  // The element size does not divide 16, so the second repetition begins inside an element.
  return std::ranges::all_of(pattern, [&](std::byte b) { return b == pattern[0]; });
}

// True if the part sets exactly the first `bytes` bytes of the destination.
bool sets_all(const PlanPart& part, Index bytes) {
  std::vector<std::pair<Index, Index>> steps;  // (step, count)
  for_each_step(part.sweep, [&](Index count, Index step) { steps.emplace_back(step, count); });
  std::ranges::sort(steps);
  Index reach = part.sweep.run;
  for (const auto& [step, count] : steps) {
    if (step != reach || mul_overflows(reach, count, reach)) return false;
  }
  return part.dst == 0 && reach == bytes;
}

// Checks by enumeration that fills cover all padding and nothing else. If the parts are ordered, fills may
// also write elements, and may write bytes twice.
Result<void> check_set(const RelayoutPlan::State& state, const Layout& dst, Index size, Index elements) {
  const Index e = state.element_bytes;
  std::vector<bool> set(static_cast<std::size_t>(elements), false);
  std::optional<Index> outside;
  std::optional<Index> twice;
  Index distinct = 0;
  for (const PlanPart& part : state.parts) {
    if (!part.sweep.is<mover::Fill>()) continue;
    for_each_run(part, [&](Index, Index to) {
      for (Index i = to / e; i < (to + part.sweep.run) / e; ++i) {
        if (i < 0 || i >= elements) {
          outside = i;
        } else if (set[static_cast<std::size_t>(i)]) {
          twice = i;
        } else {
          set[static_cast<std::size_t>(i)] = true;
          ++distinct;
        }
      }
    });
  }
  if (outside) return wrong(fmt::format("destination offset {} is filled but outside the buffer", *outside));
  if (twice && !state.in_order) return wrong(fmt::format("destination offset {} is filled twice", *twice));
  std::vector<Index> index(dst.rank(), 0);
  for (Index n = 0; n < size; ++n) {
    const Index offset = dst.offset(index);
    if (set[static_cast<std::size_t>(offset)]) {
      if (!state.in_order)
        return wrong(fmt::format("destination offset {} is filled but holds an element", offset));
      --distinct;
    }
    detail::next_index(index, dst.shape());
  }
  if (distinct != elements - size) return wrong("some padding is not filled");
  return {};
}

// Checks that fills set each element of padding once, to the plan's value, and write nothing else. If the
// parts are ordered, fills may also write elements that later parts overwrite.
Result<void> check_fills(const RelayoutPlan::State& state, const Layout& dst, Index size) {
  const Index e = state.element_bytes;
  const bool sets = state.options.padding == Padding::zero || state.options.padding == Padding::value;
  const auto value =
      state.options.padding == Padding::value ? state.options.fill : std::array<std::byte, 16>{};
  Index filled = 0;  // elements, capped at moving::kRelayoutLimits.proof.filled + 1
  bool moved = false;
  bool all = false;
  const auto elements = sets ? dst.buffer_size() : Result<Index>(0);
  if (!elements) return fail(elements.error());
  for (const PlanPart& part : state.parts) {
    const auto* fill = std::get_if<mover::Fill>(&part.sweep.mover);
    if (fill == nullptr) {
      moved = true;
      continue;
    }
    if (!sets) return wrong("padding is filled that must be kept");
    if (!sets_whole_elements(part, e)) return wrong("a fill does not cover whole elements");
    if (!sets_to(part.sweep, *fill, value, e))
      return wrong(fmt::format("padding from destination byte {} on is filled with another value", part.dst));
    if (state.in_order && moved) return wrong("padding is filled after elements are written");
    all = all || (state.in_order && *elements <= kIndexMax / e && sets_all(part, *elements * e));
    filled = std::min(
        filled +
            ceil_div(
                bytes_of(part, checked_mul(moving::kRelayoutLimits.proof.filled, e).value_or(kIndexMax - 1)),
                e),
        moving::kRelayoutLimits.proof.filled + 1);
  }
  if (filled > 0 && state.in_order && (state.chunks != 1 || state.slices != 1))
    return wrong("parts that overwrite each other run in several chunks or slices");
  if (!sets || all) return {};
  if (filled == 0 && *elements == size) return {};
  if (!state.in_order && *elements <= moving::kRelayoutLimits.proof.filled && filled > *elements)
    return wrong("fills set more elements than the buffer has");
  if (filled > moving::kRelayoutLimits.proof.filled || *elements > moving::kRelayoutLimits.proof.filled) {
    return fail(Code::undecided,
                fmt::format("there are more than {} elements of padding, the limit of this check",
                            moving::kRelayoutLimits.proof.filled),
                {}, "leave --fill out: padding that is kept needs no proof");
  }
  return check_set(state, dst, size, *elements);
}

// Checks that slack lies in padding, and that the plan allows padding to be overwritten with anything.
Result<void> check_slack(const RelayoutPlan::State& state, const Layout& dst, Index size) {
  const Index e = state.element_bytes;
  std::vector<const PlanPart*> unknown;
  for (const PlanPart& part : state.parts) {
    if (part.sweep.slack() == 0) continue;
    if (state.options.padding != Padding::any) return wrong("padding that must be kept is overwritten");
    if (!moving::slack_is_padding(part, dst, e)) unknown.push_back(&part);
  }
  if (unknown.empty()) return {};
  const auto elements = dst.buffer_size();
  if (!elements) return fail(elements.error());
  if (*elements > moving::kRelayoutLimits.proof.filled) {
    return fail(Code::undecided,
                fmt::format("there are more than {} elements of padding, the limit of this check",
                            moving::kRelayoutLimits.proof.filled),
                {}, "leave --fill out: padding that is kept needs no proof");
  }
  std::vector<bool> holds(static_cast<std::size_t>(*elements), false);
  for (const Move& move : moves_of(dst, dst, size, e)) holds[static_cast<std::size_t>(move.dst / e)] = true;
  std::optional<Index> overwritten;
  for (const PlanPart* part : unknown) {
    PlanPart stretches = *part;
    stretches.sweep.run = moving::stretch_of(part->sweep);
    if (part->sweep.is<mover::Interleave>()) stretches.sweep.rows = stretches.sweep.cols = {};
    for_each_run(stretches, [&](Index, Index to) {
      const Index begin = to + stretches.sweep.run;
      for (Index i = begin / e; i * e < begin + part->sweep.slack() && !overwritten; ++i) {
        if (i < 0 || i >= *elements || holds[static_cast<std::size_t>(i)]) overwritten = i;
      }
    });
  }
  if (!overwritten) return {};
  return wrong(fmt::format("destination offset {} is overwritten, but it is not padding", *overwritten));
}

}  // namespace

Result<void> verify(const RelayoutPlan& plan, const Layout& src, const Layout& dst) {
  const RelayoutPlan::State& state = detail::state_of(plan);
  if (!std::ranges::equal(src.shape(), dst.shape())) {
    return fail(Code::different_shape,
                fmt::format("the source has the shape [{}], but the destination has [{}]",
                            fmt::join(src.shape(), ","), fmt::join(dst.shape(), ",")));
  }
  const Index size = detail::element_count(src.shape()).value_or(kIndexMax);
  Index payload = 0;
  if (mul_overflows(size, state.element_bytes, payload) || payload != state.payload)
    return wrong(fmt::format("the plan is for {}, but the array has {}",
                             detail::plural(state.payload, "byte"), detail::plural(size, "element")));
  if (!moving::prove(state, src, dst)) {
    if (size > kVerifyLimit) {
      return fail(Code::undecided,
                  fmt::format("the plan moves more than {} elements, the limit of this check", kVerifyLimit),
                  {},
                  "use a smaller shape; larger plans can be proved only between tiles, swizzles, strides or "
                  "bases over F2 that do not overlap");
    }
    if (auto right = check_moves(state, src, dst, size); !right) return right;
  }
  if (auto right = check_slack(state, dst, size); !right) return right;
  return check_fills(state, dst, size);
}

}  // namespace tessera
