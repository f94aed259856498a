// SPDX-License-Identifier: Apache-2.0
#include "notation/triton/memory_places.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "algebra/bit_space.h"
#include "algebra/xor_rows.h"
#include "base/index_walk.h"
#include "notation/limits.h"
#include "notation/triton/basis_lists.h"

namespace tessera::triton {
namespace {

using tessera::detail::BitSpace;
using tessera::detail::XorRows;

// Shared memory has offsets, partitions and blocks, tensor memory columns, rows and blocks.
using Widths = std::array<std::size_t, 3>;
using Names = std::array<std::string_view, 3>;

Names names_of(const TritonBases& map) {
  return map.inputs.front().name == "row" ? Names{"col", "row", "block"}
                                          : Names{"offset", "partition", "block"};
}

Widths widths_of(const TritonBases& map) {
  Widths out = {};
  const Names names = names_of(map);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = map.of(names[i]).size();
  return out;
}

// Bits of three inputs one after another, each moved to its place among wider ones.
std::uint64_t widened(Index bits, const Widths& own, const Widths& common) {
  std::uint64_t out = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    out |= (static_cast<std::uint64_t>(bits) & ((std::uint64_t{1} << own[i]) - 1)) << at;
    bits >>= own[i];
    at += common[i];
  }
  return out;
}

// The place of each bit of the index of a tensor, and what other places hold the same element.
struct Places {
  BitSpace kernel;
  XorRows rows;
  Widths own = {};

  std::uint64_t of(Index element, const Widths& common) const {
    return kernel.residue(widened(rows.reduced({element, 0}).added, own, common));
  }
};

Places places_of(const TritonBases& map, const Widths& common) {
  Places out;
  out.own = widths_of(map);
  for (const std::string_view name : names_of(map)) {
    for (const std::vector<Index>& basis : map.of(name)) {
      const XorRows::Row row = out.rows.add(flat_of(basis, map.shape));
      if (row.value == 0) out.kernel.add(widened(row.added, out.own, common));
    }
  }
  return out;
}

// Padding that some offset below `elements` has.
std::vector<std::pair<Index, Index>> pads_below(const TritonBases& map, Index elements) {
  std::vector<std::pair<Index, Index>> out;
  for (const auto& pad : map.pads) {
    if (pad.first < elements && pad.second != 0) out.push_back(pad);
  }
  std::ranges::sort(out);
  return out;
}

std::string place_text(const TritonLayout& layout, std::span<const Index> index) {
  const auto found = triton_offset(layout, index);
  if (!found) return "no offset";
  std::string out = fmt::format("offset {}", found->offset);
  if (layout.attribute.kind == TritonKind::partitioned_shared)
    out += fmt::format(" of partition {}", found->partition);
  return out +
         fmt::format(" of block{} {}", found->blocks.size() == 1 ? "" : "s", fmt::join(found->blocks, ", "));
}

PlacesEquality difference_at(const TritonLayout& a, const TritonLayout& b, const std::vector<Index>& index) {
  PlacesEquality out;
  out.difference =
      PlacesDifference{index, fmt::format("element ({}) is at {} and at {}", fmt::join(index, ", "),
                                          place_text(a, index), place_text(b, index))};
  return out;
}

PlacesEquality enumerated(const TritonLayout& a, const TritonLayout& b) {
  std::vector<Index> index(a.shape->size(), 0);
  for (Index count = 0; count < detail::kNotationLimits.triton.compared_elements; ++count) {
    const auto mine = triton_offset(a, index);
    const auto other = triton_offset(b, index);
    if (!mine || !other) return {.decided = false};
    if (mine->offset != other->offset || mine->partition != other->partition || mine->blocks != other->blocks)
      return difference_at(a, b, index);
    if (!tessera::detail::next_index(index, *a.shape)) return {};
  }
  return {.decided = false};
}

}  // namespace

std::optional<PlacesEquality> same_places(const TritonLayout& a, const TritonLayout& b) {
  const auto map_a = triton_bases(a);
  const auto map_b = triton_bases(b);
  if (!map_a || !map_b || a.shape != b.shape || map_a->inputs.front().name == "register" ||
      map_a->inputs.front().name != map_b->inputs.front().name || a.attribute.rank != b.attribute.rank)
    return std::nullopt;
  const Widths of_a = widths_of(*map_a);
  const Widths of_b = widths_of(*map_b);
  Widths common = {};
  for (std::size_t i = 0; i < common.size(); ++i) common[i] = std::max(of_a[i], of_b[i]);
  if (common[0] + common[1] + common[2] > 62) return std::nullopt;
  const std::vector<Index>& shape = *a.shape;
  const auto rank = static_cast<std::size_t>(a.attribute.rank);
  const Index stages = shape.size() > rank ? shape.front() : 1;
  const auto elements = [](const TritonBases& map, const Widths& widths) {
    return Index{1} << (widths[0] + (map.inputs.front().name == "row" ? widths[1] : 0));
  };
  const auto pads = [&](const TritonBases& map, const Widths& widths) {
    return pads_below(map, stages * elements(map, widths));
  };
  if (stages > (Index{1} << detail::kNotationLimits.triton.element_bits) /
                   std::max(elements(*map_a, of_a), elements(*map_b, of_b)))
    return std::nullopt;
  if (pads(*map_a, of_a) != pads(*map_b, of_b)) {
    if (common[1] + common[2] == 0) return std::nullopt;
    return enumerated(a, b);
  }
  const Places one = places_of(*map_a, common);
  const Places other = places_of(*map_b, common);
  std::vector<Index> index(shape.size(), 0);
  if (one.kernel != other.kernel) return difference_at(a, b, index);
  // The first difference in row-major order is a bit of the last dimension that has one.
  for (std::size_t d = rank; d-- > 0;) {
    const std::size_t at = shape.size() - rank + d;
    for (Index bit = 1; bit < shape[at]; bit *= 2) {
      std::vector<Index> unit(rank, 0);
      unit[d] = bit;
      if (one.of(flat_of(unit, map_a->shape), common) == other.of(flat_of(unit, map_b->shape), common))
        continue;
      index[at] = bit;
      return difference_at(a, b, index);
    }
  }
  if (stages > 1 && elements(*map_a, of_a) != elements(*map_b, of_b)) {
    index[0] = 1;
    return difference_at(a, b, index);
  }
  return PlacesEquality{};
}

}  // namespace tessera::triton
