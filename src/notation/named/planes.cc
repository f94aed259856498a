// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/plural.h"
#include "base/state_of.h"
#include "base/try.h"
#include "notation/layout_form.h"
#include "notation/limits.h"
#include "notation/named/named_exprs.h"
#include "notation/not_representable.h"

namespace tessera {
namespace {

using State = NamedLayout::State;
using detail::Region;

Result<Layout> map_layout(const std::vector<Index>& shape, Expr offset) {
  return Layout::make(IndexMap::make_unchecked(Domain::box(shape), {offset}), shape);
}

bool is_empty(std::span<const Index> shape) { return std::ranges::find(shape, 0) != shape.end(); }

Result<Layout> empty_layout(const std::vector<Index>& shape) {
  return Layout::make(Digits::normalized(shape, 0, {}));
}

Result<Layout> region_layout(const Region& region, const std::vector<Index>& shape) {
  return Layout::make(Digits::normalized(shape, region.base, region.digits));
}

// One bit of a stream.
Result<Layout> stream_bit(const State& state, int bit) {
  const Region& stream = state.regions.front();
  if (stream.merge != 0) return map_layout(state.shape, detail::stream_bit_expr(state, bit));
  Region region = stream;
  const auto bit_dim = static_cast<Index>(state.shape.size());
  std::erase_if(region.digits, [&](const Digit& digit) {
    if (digit.dim != bit_dim) return false;
    region.base += digit.stride * digit.value(bit);
    return true;
  });
  return region_layout(region, state.shape);
}

}  // namespace

Result<std::vector<BitPlane>> planes(const NamedLayout& layout) {
  const State& state = detail::state_of(layout);
  std::vector<BitPlane> all;
  if (state.kind == NamedKind::cells) {
    TESSERA_TRY(whole, to_layout(layout));
    all.push_back({0, state.type.bits, whole});
    return all;
  }
  if (state.kind == NamedKind::stream) {
    for (int bit = 0; bit < state.type.bits; ++bit) {
      TESSERA_TRY(one, state.empty() ? empty_layout(state.shape) : stream_bit(state, bit));
      all.push_back({bit, 1, one});
    }
    return all;
  }
  for (const Region& region : state.regions) {
    TESSERA_TRY(one, state.empty() ? empty_layout(state.shape) : region_layout(region, state.shape));
    all.push_back({region.first, region.width, one});
  }
  return all;
}

Result<Layout> bit_layout(const Layout& layout, Index bits) {
  std::vector<Index> shape(layout.shape().begin(), layout.shape().end());
  shape.push_back(bits);
  if (is_empty(shape)) return empty_layout(shape);
  const auto range = offset_range(layout);
  if (!range) return fail(range.error());
  if (checked_mul(std::max(range->upper, 0 - range->lower), bits).value_or(kIndexMax) >=
      detail::kNotationLimits.offset)
    return fail(Code::overflow, "the buffer has 2^62 bits or more");
  const auto bit = static_cast<Index>(layout.rank());
  if (const Digits* known = layout.known_digits()) {
    std::vector<Digit> digits(known->digits().begin(), known->digits().end());
    for (Digit& digit : digits) digit.stride *= bits;
    digits.push_back({bit, 1, bits, 1});
    return Layout::make(Digits::normalized(std::move(shape), known->base() * bits, std::move(digits)));
  }
  return map_layout(shape, lower(layout).results()[0] * bits + Expr::variable(bit));
}

Result<Layout> bit_layout(const NamedLayout& layout) {
  const State& state = detail::state_of(layout);
  if (state.kind == NamedKind::cells) {
    TESSERA_TRY(cells, to_layout(layout));
    return bit_layout(cells, state.type.bits);
  }
  std::vector<Index> shape = state.shape;
  shape.push_back(state.type.bits);
  if (is_empty(shape)) return empty_layout(shape);
  if (state.kind == NamedKind::stream && state.regions.front().merge == 0)
    return region_layout(state.regions.front(), shape);
  return map_layout(shape, detail::bit_expr(state));
}

std::vector<BitRun> runs_at(const NamedLayout& layout, std::span<const Index> index) {
  std::vector<BitRun> runs;
  for (int bit = 0; bit < layout.type().bits; ++bit) {
    const Index offset = layout.bit_offset(index, bit);
    if (!runs.empty() && runs.back().offset + runs.back().count == offset) {
      ++runs.back().count;
    } else {
      runs.push_back({bit, 1, offset});
    }
  }
  return runs;
}

std::string runs_text(std::span<const BitRun> runs, int bits) {
  std::string text;
  for (const BitRun& run : runs) {
    const auto numbers = [](Index from, Index count) {
      return count == 1 ? fmt::format("bit {}", from) : fmt::format("bits {}-{}", from, from + count - 1);
    };
    if (!text.empty()) text += "; ";
    if (run.count < bits) text += numbers(run.first, run.count) + ": ";
    // A run may cross bytes.
    Index offset = run.offset;
    Index left = run.count;
    for (bool first = true; left > 0; first = false) {
      const Index here = std::min<Index>(left, 8 - offset % 8);
      text += fmt::format("{}byte {}, {}", first ? "" : " and ", offset / 8, numbers(offset % 8, here));
      offset += here;
      left -= here;
    }
  }
  return text;
}

Result<std::optional<BitOwner>> owner_of(const NamedLayout& layout, Index bit_offset) {
  if (bit_offset < 0 || bit_offset >= layout.buffer_bits()) {
    return fail(Code::index_out_of_range,
                fmt::format("bit {} is outside the buffer, which has {}", bit_offset,
                            detail::plural(layout.buffer_bits(), "bit")));
  }
  TESSERA_TRY(all, planes(layout));
  for (const BitPlane& plane : all) {
    const auto found = indices_at(plane.layout, floor_div(bit_offset, plane.width), {.indices = 1});
    if (!found && found.error().code == Code::index_out_of_range) continue;
    if (!found) return fail(found.error());
    if (found->indices.empty()) continue;
    return std::optional(
        BitOwner{found->indices.front(), plane.first + static_cast<int>(bit_offset % plane.width)});
  }
  return std::optional<BitOwner>();
}

}  // namespace tessera
