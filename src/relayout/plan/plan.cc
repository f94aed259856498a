// SPDX-License-Identifier: Apache-2.0
#include "relayout/plan/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/at_fault.h"
#include "base/plural.h"
#include "notation/structure.h"
#include "relayout/caches.h"
#include "relayout/drop_permutations.h"
#include "relayout/kernels/kernel.h"
#include "relayout/plan/add_part.h"
#include "relayout/plan/build_digits.h"
#include "relayout/plan/build_layouts.h"
#include "relayout/plan/byte_range.h"
#include "relayout/plan/injective.h"
#include "relayout/plan/padding.h"
#include "relayout/run.h"
#include "tessera/relayout/plan.h"

namespace tessera {
namespace {

using moving::State;

Result<void> check_request(std::span<const Index> src, std::span<const Index> dst, Index element_bytes,
                           const PlanOptions& options) {
  if (!std::ranges::equal(src, dst)) {
    return fail(Code::different_shape,
                fmt::format("the source has the shape [{}], but the destination has [{}]",
                            fmt::join(src, ","), fmt::join(dst, ",")),
                {}, "both layouts must describe the same array: give them the same shape");
  }
  if (element_bytes < 1) {
    return fail(Code::unsupported_width,
                fmt::format("elements of {} cannot be moved", detail::plural(element_bytes, "byte")));
  }
  if (options.padding == Padding::value && element_bytes > 16) {
    return fail(
        Code::unsupported_width,
        fmt::format("padding can be set only for elements of at most 16 bytes, not {}", element_bytes), {},
        "keep the padding, or set it to 0");
  }
  return {};
}

// Sets everything except the parts. Returns false if the number of bytes does not fit in 64 bits.
bool set_frame(State& state, std::span<const Index> box, Index element_bytes, const PlanOptions& options) {
  state.element_bytes = element_bytes;
  state.options = options;
  if (options.isa == Isa::automatic) state.options.isa = default_isa();
  state.payload = std::ranges::find(box, 0) == box.end() ? element_bytes : 0;
  for (const Index extent : box) {
    if (mul_overflows(state.payload, extent, state.payload)) return false;
  }
  // A core with a smaller L2 reads and writes a near L3 as fast.
  const Index cache = options.l2_bytes > 0 ? options.l2_bytes : std::max(moving::caches().l2, Index{1} << 20);
  // Use streaming stores if both buffers together exceed the cache. A near reader still finds part of the
  // destination in the cache if the buffers are up to a few times that size.
  state.stream = state.payload > (options.consumer == Consumer::near ? 4 : 1) * cache / 2;
  return true;
}

void finish(State& state, const Digits* dst, Index dst_elements) {
  if (state.options.padding == Padding::zero || state.options.padding == Padding::value) {
    moving::add_padding(state, dst, dst_elements);
    state.dst = {0, dst_elements * state.element_bytes};
  } else if (state.options.padding == Padding::any) {
    moving::add_slack(state, dst, dst_elements);
  }
  if (state.elementwise && state.payload >= (Index{1} << 20) && !state.in_order) {
    state.chunks =
        std::clamp<Index>(state.options.threads, 1, std::max<Index>(state.elementwise->units(), 1));
  } else if (!state.elementwise) {
    moving::divide_work(state);
  }
}

// Sets the smallest ranges that contain all bytes that the parts touch.
void set_exact_ranges(State& state) {
  if (state.parts.empty()) return;
  state.src = state.dst = {kIndexMax, kIndexMin};
  const auto widen = [](ByteRange& all, ByteRange own) {
    all = {std::min(all.begin, own.begin), std::max(all.end, own.end)};
  };
  for (const moving::PlanPart& part : state.parts) {
    widen(state.src, moving::src_bytes(part, {0, part.units}));
    widen(state.dst, moving::dst_bytes(part, {0, part.units}));
  }
}

Result<void> build_layouts(State& state, const Layout& src, const Layout& dst, const Digits* dst_digits,
                           Index dst_elements, Index element_bytes, const PlanOptions& options) {
  if (!set_frame(state, src.shape(), element_bytes, options)) return moving::byte_overflow("box");
  const auto first_look = [&](const Layout& layout, std::string_view side) -> Result<ByteRange> {
    if (const auto most = moving::byte_range_bound(layout, element_bytes)) return *most;
    return moving::byte_range(layout, element_bytes, side);
  };
  // Check the offsets for overflow first: deciding injectivity may take far longer.
  if (const auto range = first_look(src, "source"); !range)
    return detail::at_fault("from", fail(range.error()));
  if (const auto range = first_look(dst, "destination"); !range) return fail(range.error());
  if (auto injective = moving::check_injective(dst); !injective) return injective;
  if (state.payload > 0) moving::build_from_layouts(state, src, dst);
  // If there are parts, set_exact_ranges finds the ranges. Otherwise compute them from the layouts.
  if (state.elementwise) {
    const auto src_range = moving::byte_range(src, element_bytes, "source");
    if (!src_range) return detail::at_fault("from", fail(src_range.error()));
    const auto dst_range = moving::byte_range(dst, element_bytes, "destination");
    if (!dst_range) return fail(dst_range.error());
    state.src = *src_range;
    state.dst = *dst_range;
  }
  set_exact_ranges(state);
  finish(state, dst_digits, dst_elements);
  return {};
}

Result<void> build_digits(State& state, const Digits& src, const Digits& dst, Index dst_elements,
                          Index element_bytes, const PlanOptions& options) {
  if (auto injective = moving::check_injective(dst); !injective) return injective;
  if (!set_frame(state, src.box(), element_bytes, options)) return moving::byte_overflow("box");
  if (state.payload > 0) {
    const auto from = moving::byte_range(src, element_bytes);
    if (!from) return detail::at_fault("from", moving::byte_overflow("source"));
    const auto to = moving::byte_range(dst, element_bytes);
    if (!to) return moving::byte_overflow("destination");
    state.src = *from;
    state.dst = *to;
    if (!moving::build_from_digits(state, src, dst)) {
      const auto src_layout = Layout::make(src);
      if (!src_layout) return fail(src_layout.error());
      const auto dst_layout = Layout::make(dst);
      if (!dst_layout) return fail(dst_layout.error());
      moving::build_from_layouts(state, *src_layout, *dst_layout);
    }
  }
  if (dst_elements == 0) dst_elements = state.dst.end / element_bytes;
  finish(state, &dst, dst_elements);
  return {};
}

// The digits of a layout, known or computed.
struct DigitsOf {
  explicit DigitsOf(const Layout& layout) : digits(layout.known_digits()) {
    if (digits != nullptr) return;
    made = moving::digits_of(layout);
    if (made) digits = &*made;
  }
  DigitsOf(const DigitsOf&) = delete;
  DigitsOf& operator=(const DigitsOf&) = delete;

  std::optional<Digits> made;
  const Digits* digits;
};

}  // namespace

Result<void> moving::build_plan(State& state, const Layout& src, const Layout& dst, Index element_bytes,
                                const PlanOptions& options) {
  if (auto valid = check_request(src.shape(), dst.shape(), element_bytes, options); !valid) return valid;
  Index dst_elements = 0;
  if (options.padding != Padding::keep) {
    const auto elements = dst.buffer_size();
    if (!elements && options.padding != Padding::any) return fail(elements.error());
    dst_elements = elements.value_or(0);
  }
  const auto unpermuted = without_permutations(src, dst);
  // If the simpler destination is not injective, `dst` is not injective either. Planning with `dst` then
  // gives an error that names the indices of the caller's layout.
  const bool use = unpermuted && unpermuted->holds_everywhere() && check_injective(unpermuted->dst);
  const Layout& out_of = use ? unpermuted->src : src;
  const Layout& into = use ? unpermuted->dst : dst;
  // Try digits first: most layouts have them, and they make better parts.
  const DigitsOf to(into);
  if (to.digits != nullptr) {
    const DigitsOf from(out_of);
    if (from.digits != nullptr)
      return build_digits(state, *from.digits, *to.digits, dst_elements, element_bytes, options);
  }
  return build_layouts(state, out_of, into, to.digits, dst_elements, element_bytes, options);
}

std::optional<Digits> moving::digits_of(const Layout& layout) {
  // Enumerating this many indices takes microseconds.
  constexpr Index kFewIndices = 4096;
  if (const Digits* known = layout.known_digits()) return *known;
  if (layout.size() <= kFewIndices) {
    auto digits = to_digits(layout);
    return digits ? std::optional(*std::move(digits)) : std::nullopt;
  }
  // The map of tiles with padding is often a sum of digits.
  return layout.tiled_map() == nullptr ? std::nullopt : detail::structural_digits(lower(layout));
}

Result<RelayoutPlan> make_plan(const Digits& src, DigitsBuffer dst, Index element_bytes,
                               const PlanOptions& options) {
  if (auto valid = check_request(src.box(), dst.digits.box(), element_bytes, options); !valid)
    return fail(valid.error());
  auto state = std::make_shared<State>();
  if (auto built = build_digits(*state, src, dst.digits, dst.elements, element_bytes, options); !built)
    return fail(built.error());
  return RelayoutPlan(std::move(state));
}

Result<RelayoutPlan> make_plan(const Layout& src, const Layout& dst, Index element_bytes,
                               const PlanOptions& options) {
  auto state = std::make_shared<State>();
  if (auto built = moving::build_plan(*state, src, dst, element_bytes, options); !built)
    return fail(built.error());
  return RelayoutPlan(std::move(state));
}

Index RelayoutPlan::element_bytes() const { return state_->element_bytes; }
Index RelayoutPlan::payload_bytes() const { return state_->payload; }
ByteRange RelayoutPlan::src_range() const { return state_->src; }
ByteRange RelayoutPlan::dst_range() const { return state_->dst; }
std::optional<std::array<std::byte, 16>> RelayoutPlan::fill() const {
  const auto sets = [](const moving::PlanPart& part) { return part.sweep.is<moving::mover::Fill>(); };
  if (std::ranges::none_of(state_->parts, sets)) return std::nullopt;
  return state_->options.padding == Padding::value ? state_->options.fill : std::array<std::byte, 16>{};
}
bool RelayoutPlan::spoils_padding() const {
  return std::ranges::any_of(state_->parts,
                             [](const moving::PlanPart& part) { return part.sweep.slack() > 0; });
}
Index RelayoutPlan::chunks() const { return state_->chunks; }

}  // namespace tessera
