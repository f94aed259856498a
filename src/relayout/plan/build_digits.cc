// SPDX-License-Identifier: Apache-2.0
#include "relayout/plan/build_digits.h"

#include <algorithm>
#include <memory_resource>

#include "base/index_walk.h"
#include "relayout/limits.h"
#include "relayout/plan/add_part.h"
#include "relayout/plan/refine.h"

namespace tessera::moving {
namespace {

Index value_at(std::span<const Digit> digits, Index x) {
  Index sum = 0;
  for (const Digit& d : digits) sum += d.stride * d.value(x);
  return sum;
}

// One dimension, with its digits on both sides.
struct Dimension {
  RefinedDim chain;
  std::span<const Digit> src;
  std::span<const Digit> dst;
  DigitRange range;
};

// Adds a loop for each segment of the range.
void add_dims(State& state, Nest& nest, const Dimension& dim) {
  const Index e = state.element_bytes;
  const DigitRange& range = dim.range;
  if (range.corner > 0) {
    nest.src += value_at(dim.src, range.corner) * e;
    nest.dst += value_at(dim.dst, range.corner) * e;
  }
  for (std::size_t k = 0; k <= range.segment && k < dim.chain.segments.size(); ++k) {
    const RefinedDigit& segment = dim.chain.segments[k];
    NestDim loop = {k == range.segment ? range.count : segment.count, segment.src, segment.dst};
    if (loop.ext == 1) continue;
    if (segment.table) {
      loop.src_table = state.new_table(loop.ext);
      loop.dst_table = state.new_table(loop.ext);
      for (Index t = 0; t < loop.ext; ++t) {
        loop.src_table[t] = value_at(dim.src, t * segment.unit) * e;
        loop.dst_table[t] = value_at(dim.dst, t * segment.unit) * e;
      }
    }
    nest.add(loop);
  }
}

}  // namespace

bool build_from_digits(State& state, const Digits& src, const Digits& dst) {
  const Index e = state.element_bytes;
  const std::size_t rank = src.box().size();
  constexpr std::size_t kInlineDimensions = 6;
  alignas(Dimension) std::array<std::byte, kInlineDimensions * sizeof(Dimension)> inline_storage;
  std::pmr::monotonic_buffer_resource arena(inline_storage.data(), inline_storage.size());
  std::pmr::vector<Dimension> dims(rank, &arena);
  std::size_t parts = 1;
  for (std::size_t k = 0; k < rank; ++k) {
    Dimension& dim = dims[k];
    dim.src = src.digits(k);
    dim.dst = dst.digits(k);
    if (!refine(src.box()[k], dim.src, dim.dst, e, dim.chain)) return false;
    std::size_t ranges = 0;
    for (DigitRange range = digit_range_at(dim.chain, 0); range.count > 0; ++ranges)
      range = digit_range_at(dim.chain, end_of(dim.chain, range));
    parts *= ranges;
    if (parts > kRelayoutLimits.plan.digit_parts) return false;
    dim.range = digit_range_at(dim.chain, 0);
  }
  state.parts.reserve(parts);
  for (std::size_t part = 0; part < parts; ++part) {
    Nest nest{.src = src.base() * e, .dst = dst.base() * e, .run = e};
    for (const Dimension& dim : dims) add_dims(state, nest, dim);
    normalize(nest);
    add_part(state, nest);
    detail::advance_last(rank, [&](std::size_t k) {
      Dimension& dim = dims[k];
      dim.range = digit_range_at(dim.chain, end_of(dim.chain, dim.range));
      const bool more = dim.range.count > 0;
      if (!more) dim.range = digit_range_at(dim.chain, 0);
      return more;
    });
  }
  return true;
}

}  // namespace tessera::moving
