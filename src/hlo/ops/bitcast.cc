// SPDX-License-Identifier: Apache-2.0
/// \file
/// bitcast: the same bytes as an array of another type. Maps go through the position in memory, using both
/// layouts.
#include <fmt/core.h>

#include <algorithm>

#include "base/index_walk.h"
#include "hlo/check/types.h"
#include "hlo/ops/memory_order.h"
#include "hlo/ops/reshape.h"
#include "hlo/ops/rule.h"

namespace tessera::detail {
namespace {

Problem check_bitcast(const OpReader& reader) {
  TESSERA_RULE(reader.operand_count_is(1));
  TESSERA_RULE(reader.must_be_written());
  const HloType& from = reader.operand(0);
  const HloType& to = reader.instruction().type;
  if (!from.is_array() || !to.is_array()) return std::nullopt;  // tuples and tokens: no elements to compare
  const auto padded = [](const TensorType& type) { return type.layout && !type.layout->is_plain(); };
  if (padded(from.array()) || padded(to.array()))
    return std::nullopt;  // padding may account for the difference
  Index from_bits = 0;
  Index to_bits = 0;
  if (mul_overflows(*from.array().element_count(), bit_width(from.array().dtype), from_bits) ||
      mul_overflows(*to.array().element_count(), bit_width(to.array().dtype), to_bits) ||
      from_bits == to_bits) {
    return std::nullopt;
  }
  return reader.wrong_type(Code::shape_mismatch,
                           fmt::format("bitcast changes the size: from {} ({}) to {} ({})", short_text(from),
                                       plural(from_bits, "bit"), short_text(to), plural(to_bits, "bit")),
                           "a bitcast keeps the bytes");
}

bool every_bitcast(const Instruction&) { return true; }

IndexingSet same_bytes(const HloType& from, const HloType& to) {
  const auto a = MemoryOrder::make(from.array());
  const auto b = MemoryOrder::make(to.array());
  if (!a || !b) return unknown_set("the layout is too large or not a permutation");
  MapBuilder map(from.dims());
  std::vector<Expr> nothing(to.rank());
  const auto from_count = element_count(from.dims());
  const auto to_count = element_count(to.dims());
  if (!from_count || !to_count) return unknown_set("the element count does not fit in 64 bits");
  if (*from_count == 0 || *to_count == 0) {
    map.nothing();
    return just(std::move(map).build(std::move(nothing)));
  }

  // If the element widths differ, the parts of a wider element become one more dimension, the fastest.
  std::vector<Index> from_extents(a->extents().begin(), a->extents().end());
  std::vector<Index> to_extents(b->extents().begin(), b->extents().end());
  const Index from_bits = a->element_bits();
  const Index to_bits = b->element_bits();
  if (from_bits % to_bits != 0 && to_bits % from_bits != 0) {
    return unknown_set("one element width does not divide the other");
  }
  std::vector<Expr> at = a->coordinates(map.dims());
  if (from_bits > to_bits) {
    from_extents.push_back(from_bits / to_bits);
    at.push_back(map.range(from_bits / to_bits));
  }
  if (to_bits > from_bits) to_extents.push_back(to_bits / from_bits);

  const auto from_places = element_count(from_extents);
  const auto to_places = element_count(to_extents);
  if (!from_places || !to_places) return unknown_set("the size in memory does not fit in 64 bits");
  const bool padded = a->is_tiled() || b->is_tiled();
  if (*from_places != *to_places && !padded) return unknown_set("the arrays have different sizes in memory");
  Renumbered place;
  if (*from_places == *to_places) {
    place = renumber(from_extents, to_extents, at);
  } else {
    // The arrays differ only in padding: both occupy the same bytes up to the end of the smaller one.
    const Expr number = row_major_number(from_extents, at);
    map.constrain(number, {0, std::min(*from_places, *to_places) - 1});
    append_digits(to_extents, number, place.results);
  }
  if (to_bits > from_bits) place.results.pop_back();
  std::vector<Expr> index = b->index(std::move(place.results), map);
  const bool canonical = place.canonical && a->is_row_major() && b->is_row_major();
  const auto simplification =
      canonical ? MapBuilder::Simplification::none : MapBuilder::Simplification::preserve_points;
  return just(std::move(map).build(std::move(index), simplification));
}

IndexingSet bitcast_to_input(const OpQuery& q) { return same_bytes(q.output_type(), q.operand_type()); }
IndexingSet bitcast_to_output(const OpQuery& q) { return same_bytes(q.operand_type(), q.output_type()); }

}  // namespace

constinit const OpRule kBitcastRule{.read = check_only<check_bitcast>,
                                    .output_to_input = bitcast_to_input,
                                    .input_to_output = bitcast_to_output,
                                    .leafwise = every_bitcast};

}  // namespace tessera::detail
