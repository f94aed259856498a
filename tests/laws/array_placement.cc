// SPDX-License-Identifier: Apache-2.0
#include "laws/array_placement.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "laws/array_sizes.h"
#include "laws/step_bytes.h"

namespace tessera::laws {
namespace {

/// The tiles of a rule, as the machines have them.
std::vector<std::vector<Indices>> rule_tiles(TilingRule rule, std::size_t rank, Index bytes) {
  if (rule == TilingRule::square)
    return {rank == 1 ? std::vector<Indices>{{32}} : std::vector<Indices>{{32, 32}}};
  if (rank == 1) {
    if (bytes == 4) return {{{1024}}, {{512}}, {{256}}, {{128}}};
    if (bytes == 2) return {{{1024}, {128}, {2, 1}}, {{512}, {128}, {2, 1}}, {{256}, {128}, {2, 1}}};
    return {{{1024}, {128}, {4, 1}}, {{512}, {128}, {4, 1}}};
  }
  if (bytes == 4) return {{{8, 128}}, {{4, 128}}, {{2, 128}}, {{1, 128}}};
  if (bytes == 2) return {{{8, 128}, {2, 1}}, {{16, 128}, {2, 1}}, {{4, 128}, {2, 1}}, {{2, 128}, {2, 1}}};
  return {{{8, 128}, {4, 1}}, {{32, 128}, {4, 1}}, {{4, 128}, {4, 1}}};
}

Index cells_of(const TensorType& type, Indices minor_to_major, std::vector<Indices> tiles) {
  TiledLayout layout{.minor_to_major = std::move(minor_to_major), .tiles = std::move(tiles)};
  return placement({.dtype = type.dtype, .dims = type.dims, .layout = std::make_shared<TiledLayout>(layout)})
      .cells;
}

/// The cells of an array with one dimension in blocks.
Index blocked_cells(const TensorType& type, std::size_t blocked, Index block) {
  Index cells = 1;
  for (std::size_t d = 0; d < type.rank(); ++d) {
    Index extent = type.dims[d];
    while (d == blocked && extent % block != 0) ++extent;
    cells *= extent;
  }
  return cells;
}

PaddedTotals padded(const TensorType& type, TilingRule rule) {
  const Index bytes = element_bytes_of(type.dtype);
  PaddedTotals out{.elements = count_of(type.dims), .now = placement(type).cells};
  if (rule == TilingRule::onednn) {
    out.ruled = blocked_cells(type, type.rank() > 1 ? 1 : 0, 16);
    out.best = out.ruled;
    for (std::size_t d = 0; d < type.rank(); ++d)
      for (const Index block : {4, 8, 16}) out.best = std::min(out.best, blocked_cells(type, d, block));
  } else {
    const std::vector<std::vector<Indices>> tiles = rule_tiles(rule, type.rank(), bytes);
    out.ruled = cells_of(type, type.minor_to_major(), tiles[0]);
    const bool tiled = type.layout != nullptr && !type.layout->tiles.empty();
    out.best = tiled ? std::min(out.now, out.ruled) : out.ruled;
    Indices order(type.rank());
    std::iota(order.begin(), order.end(), 0);
    do {
      for (const std::vector<Indices>& one : tiles) out.best = std::min(out.best, cells_of(type, order, one));
    } while (std::ranges::next_permutation(order).found);
  }
  for (Index* const number : {&out.elements, &out.now, &out.ruled, &out.best}) *number *= bytes;
  return out;
}

}  // namespace

Placement placement(const TensorType& type) {
  const Indices order = type.minor_to_major();
  Placement out;
  for_each_index(type.dims, [&](const Indices& index) {
    Indices shape;
    Indices at;
    for (auto d = order.rbegin(); d != order.rend(); ++d) {
      shape.push_back(type.dims[static_cast<std::size_t>(*d)]);
      at.push_back(index[static_cast<std::size_t>(*d)]);
    }
    for (const Indices& tile : type.layout == nullptr ? std::vector<Indices>() : type.layout->tiles) {
      while (shape.size() < tile.size()) {
        shape.insert(shape.begin(), 1);
        at.insert(at.begin(), 0);
      }
      // The tiled dimensions become the numbers of the tiles; the places inside a tile follow.
      const std::size_t first = shape.size() - tile.size();
      for (std::size_t i = 0; i < tile.size(); ++i) {
        at.push_back(at[first + i] % tile[i]);
        at[first + i] /= tile[i];
        shape[first + i] = (shape[first + i] + tile[i] - 1) / tile[i];
      }
      shape.insert(shape.end(), tile.begin(), tile.end());
    }
    out.places.push_back(number_of(shape, at));
    out.cells = count_of(shape);
  });
  if (out.places.empty()) out.cells = 0;
  return out;
}

bool buffers_differ(const TensorType& from, const TensorType& to, const Indices& sources) {
  const Placement before = placement(from);
  const Placement after = placement(to);
  if (before.cells != after.cells) return true;
  for (std::size_t e = 0; e < sources.size(); ++e) {
    if (after.places[e] != before.places[static_cast<std::size_t>(sources[e])]) return true;
  }
  return false;
}

PaddedTotals padded_totals(const Computation& start, const std::map<const Computation*, Runs>& runs,
                           TilingRule rule, const std::set<const Instruction*>& in_place) {
  PaddedTotals out;
  for (const auto& [computation, times] : runs) {
    if (times.most == 0) continue;
    for (const auto& op : computation->instructions) {
      const bool argument = op->opcode == Opcode::parameter && computation != &start;
      if (argument || !makes_an_array(*op) || in_place.contains(op.get())) continue;
      for (std::size_t leaf = 0; leaf < op->type.leaf_count(); ++leaf) {
        const HloType& type = leaf_type(op->type, leaf);
        if (!type.is_array() || type.rank() == 0) continue;
        const PaddedTotals one = padded(type.array(), rule);
        out.elements += one.elements;
        out.now += one.now;
        out.ruled += one.ruled;
        out.best += one.best;
      }
    }
  }
  return out;
}

}  // namespace tessera::laws