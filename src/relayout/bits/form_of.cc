// SPDX-License-Identifier: Apache-2.0
#include "relayout/bits/form_of.h"

#include <algorithm>
#include <numeric>

#include "base/state_of.h"
#include "notation/named/named_state.h"
#include "notation/to_digits.h"

namespace tessera::moving {
namespace {

// Bit `bit` of a stream whose first dimension and the bit make one number, factor * x + bit.
BitDim merged_dim(const std::vector<BitDigit>& digits, Index factor, int bit) {
  BitDim all{.table = {}, .digits = digits};
  if (digits.empty()) return {};
  BitDigit top = digits.back();
  // After `period` values of x the number is a multiple of the highest divisor.
  const Index period = top.div / std::gcd(factor, top.div);
  BitDim out;
  for (Index x = 0; x < period; ++x) out.table.push_back(all.at(factor * x + bit));
  out.digits.push_back({period, 0, factor * period / top.div * top.stride});
  return out;
}

// The parts of a stream: one if the bits of an element lie together.
BitForm stream_form(const detail::Region& stream, std::size_t rank, std::size_t merged, int bits) {
  BitForm out;
  for (int bit = 0; bit < bits; ++bit) {
    BitPart part{.first = bit, .width = 1, .base = stream.base, .dims = std::vector<BitDim>(rank)};
    for (std::size_t i = 0; i < stream.digits.size(); ++i) {
      const Digit& digit = stream.digits[i];
      if (static_cast<std::size_t>(digit.dim) == rank) {
        if (stream.merge == 0) part.base += digit.stride * digit.value(bit);
        continue;
      }
      const bool top = i + 1 == stream.digits.size() || stream.digits[i + 1].dim != digit.dim;
      part.dims[static_cast<std::size_t>(digit.dim)].digits.push_back(
          {digit.div, top ? 0 : digit.ext, digit.stride});
    }
    if (stream.merge != 0) part.dims[merged] = merged_dim(part.dims[merged].digits, stream.merge, bit);
    if (stream.merge == 0 && !out.empty() && out.back().base + out.back().width == part.base) {
      ++out.back().width;
    } else {
      out.push_back(std::move(part));
    }
  }
  return out;
}

// Drops the bits from `bits` on.
BitForm lowest(BitForm form, int bits) {
  std::erase_if(form, [bits](const BitPart& part) { return part.first >= bits; });
  if (!form.empty()) form.back().width = std::min(form.back().width, bits - form.back().first);
  return form;
}

// Groups are of kind cells.
std::vector<FormPiece> group_forms(const NamedLayout::State& state) {
  std::vector<FormPiece> out;
  for (const detail::GroupPart& group : state.groups) {
    std::vector<Index> shape = state.shape;
    shape[state.group_dim] = group.size;
    const detail::Region& region = group.regions.front();
    const Digits digits = Digits::normalized(shape, region.base, region.digits);
    FormPiece piece{
        state.group_dim, group.begin, group.begin + group.size, {part_of(digits, 0, region.width)}};
    piece.form.front().dims[state.group_dim].origin = group.begin;
    if (group.size > 0) out.push_back(std::move(piece));
  }
  return out;
}

}  // namespace

std::vector<FormPiece> bit_forms(const NamedOrLayout& layout, Index cell_bits, int value_bits) {
  if (layout.named) {
    const NamedLayout::State& state = detail::state_of(*layout.named);
    if (!state.groups.empty()) return group_forms(state);
    if (state.kind == NamedKind::stream) {
      BitForm stream = stream_form(state.regions.front(), state.shape.size(), state.batch, state.type.bits);
      return {{.form = lowest(std::move(stream), value_bits)}};
    }
    if (state.kind == NamedKind::planes) {
      BitForm planes;
      for (const detail::Region& region : state.regions) {
        const Digits digits = Digits::normalized(state.shape, region.base, region.digits);
        planes.push_back(part_of(digits, region.first, region.width));
      }
      return {{.form = lowest(std::move(planes), value_bits)}};
    }
  }
  const Result<Digits> digits = to_digits(*layout.layout);
  if (!digits) return {};
  return {{.form = lowest({part_of(*digits, 0, static_cast<int>(cell_bits))}, value_bits)}};
}

}  // namespace tessera::moving
