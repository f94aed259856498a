// SPDX-License-Identifier: Apache-2.0
// The maps of layouts of shared memory and of tensor memory, kind by kind.
#include "notation/triton/memory_bases.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/try.h"
#include "notation/triton/runs.h"

namespace tessera::triton {
namespace {

Runs memory_runs(std::span<const Index> shape) { return Runs({"offset", "block"}, shape); }

TritonBases with_blocks(Runs runs, const BlockTile& tile) {
  runs.set_blocks(tile);
  return runs.take_map();
}

TritonBases swizzled(const TritonAttribute& a, std::span<const Index> shape) {
  const BlockTile tile = block_tile(a.blocks, shape);
  const auto columns = static_cast<std::size_t>(a.order[0]);
  const Index row_length = tile.extents[columns];
  Runs runs = memory_runs(shape);
  runs.run("offset", columns, row_length);
  for (std::size_t i = 1; i < a.order.size(); ++i) {
    const auto d = static_cast<std::size_t>(a.order[i]);
    for (Index row = 1; row < tile.extents[d]; row *= 2) {
      runs.run("offset", d, 2);
      if (i > 1) continue;
      const Index step = row / a.per_phase;
      Index phase = step % a.max_phase;
      if (a.kind == TritonKind::amd_rotating_shared) phase ^= step / a.max_phase % a.max_phase;
      runs.of("offset").back()[columns] = a.vec * phase % row_length;
    }
  }
  return with_blocks(std::move(runs), tile);
}

Failure too_small(Index extent, Index least, std::string_view what) {
  return fail(Code::bad_extent,
              fmt::format("the swizzle needs {} {}, but a block has {}", least, what, extent), {},
              "take a smaller swizzlingByteWidth, or a larger shape");
}

// The box of nvmma_shared as a matrix, and its tiles.
Result<TritonBases> nvmma(const TritonAttribute& a, std::span<const Index> shape) {
  const std::size_t r = shape.size();
  const BlockTile tile = block_tile(a.blocks, shape);
  const std::size_t c = a.transposed ? 0 : r - 1;
  std::vector<Index> box;
  for (const Index extent : tile.extents) box.push_back(std::min<Index>(256, extent));
  Runs runs = memory_runs(shape);
  if (a.transposed && r > 2 && a.swizzle_bytes == 0)
    return fail(Diagnostic{.code = Code::not_representable,
                           .message = "a transposed layout of rank 3 or more without a swizzle has no map "
                                      "(transposed_rank)",
                           .reason = "transposed_rank",
                           .help = "Triton 3.9 gives it zero bases: use a swizzle, or order the dimensions"});
  std::vector<std::size_t> order = {c};  // of the flat bits of the matrix
  for (std::size_t d = r; d-- > 0;) {
    if (d != c) order.push_back(d);
  }
  if (a.swizzle_bytes == 0) {
    for (const std::size_t d : order) runs.run("offset", d, box[d]);
  } else {
    const Index width = 8 * a.swizzle_bytes / a.element_bits;  // slots of a row of a tile
    box[c] = a.fp4_padded ? width / 2 : width;
    if (tile.extents[c] < box[c]) return too_small(tile.extents[c], box[c], "columns");
    Index columns = 1;
    Index all = 1;
    for (const Index extent : box) all *= extent;
    if (a.transposed && r > 2) {
      for (std::size_t d = 0; d + 1 < r; ++d) columns *= box[d];
    } else {
      columns = box[c];
    }
    const Index rows = all / columns;
    if (rows < 8) return too_small(rows, 8, "rows");
    TritonBasisList flat;  // of the bits of the matrix
    for (const std::size_t d : order) {
      for (Index power = 1; power < box[d]; power *= 2) flat.emplace_back(r, 0)[d] = power;
      runs.take(d, log2_of(box[d]));
    }
    const auto bits_of_columns = static_cast<std::size_t>(log2_of(box[c]));
    const auto column = [&](Index slot) {  // the coordinates of a column of the tile
      if (a.fp4_padded) slot = slot / 16 * 8 + slot % 8;
      std::vector<Index> out(r, 0);
      for (std::size_t k = 0; k < bits_of_columns; ++k) {
        for (std::size_t d = 0; d < r; ++d) out[d] ^= (slot >> k & 1) != 0 ? flat[k][d] : 0;
      }
      return out;
    };
    for (Index slot = 1; slot < width; slot *= 2)
      runs.of("offset").push_back(a.fp4_padded && slot == 8 ? std::vector<Index>(r, 0) : column(slot));
    const Index atom = 128 / a.element_bits;
    const auto first_row = static_cast<std::size_t>(log2_of(columns));
    for (Index row = 1; row < rows; row *= 2) {
      std::vector<Index> basis = flat[first_row + static_cast<std::size_t>(log2_of(row))];
      const std::vector<Index> moved =
          column(atom * (row / (128 / a.swizzle_bytes) % (a.swizzle_bytes / 16)));
      for (std::size_t d = 0; d < r; ++d) basis[d] ^= moved[d];
      runs.of("offset").push_back(std::move(basis));
    }
    for (std::size_t k = bits_of_columns; k < first_row; ++k) runs.of("offset").push_back(flat[k]);
  }
  std::vector<std::size_t> boxes;
  for (std::size_t d = 0; d < r; ++d) boxes.push_back(d);
  runs.repeat("offset", boxes, tile.extents);
  return with_blocks(std::move(runs), tile);
}

Result<TritonBases> with_own_extents(const TritonAttribute& a, std::span<const Index> shape) {
  Runs runs = memory_runs(shape);
  if (!a.order.empty()) {  // the older form of padded_shared
    runs.of("offset") = identity_bases(a.order, shape);
  } else {
    const TritonBasisList* const all[] = {&a.offsets, &a.blocks};
    const std::vector<Index> extents = extents_of(all, a.rank);
    if (!std::ranges::equal(extents, shape))
      return fail(Code::shape_mismatch, fmt::format("the layout has the extents [{}], but the shape is [{}]",
                                                    fmt::join(extents, ", "), fmt::join(shape, ", ")));
    runs.of("offset") = a.offsets;
    runs.of("block") = a.blocks;
  }
  TritonBases map = runs.take_map();
  map.pads = a.pads;
  return map;
}

Result<TritonBases> partitioned(const TritonAttribute& a, std::span<const Index> shape) {
  const auto d = static_cast<std::size_t>(a.dim);
  const Index pieces = a.partitions * a.groups;
  if (shape[d] < pieces)
    return fail(Code::bad_extent,
                fmt::format("dimension {} of extent {} cannot be cut into {} pieces", d, shape[d], pieces));
  std::vector<Index> inside(shape.begin(), shape.end());
  inside[d] /= pieces;
  TESSERA_TRY(map, shared_bases(*a.parent, inside));
  map.shape.assign(shape.begin(), shape.end());
  Index piece = 1;  // extent in one block
  for (const std::vector<Index>& basis : map.inputs[0].bases) piece = std::max(piece, 2 * basis[d]);
  piece = Index{1} << log2_of(piece);
  const auto unit = [&](Index at) {
    std::vector<Index> basis(shape.size(), 0);
    basis[d] = at;
    return basis;
  };
  for (std::vector<Index>& basis : map.inputs[1].bases) basis[d] *= pieces;
  for (Index g = 1; g < a.groups; g *= 2) map.inputs[0].bases.push_back(unit(piece * a.partitions * g));
  TritonInput partition{"partition", {}};
  for (Index p = 1; p < a.partitions; p *= 2) partition.bases.push_back(unit(piece * p));
  map.inputs.push_back(std::move(partition));
  return map;
}

Result<TritonBases> tensor_memory(const TritonAttribute& a, std::span<const Index> shape,
                                  std::string_view element) {
  const BlockTile tile = block_tile(a.blocks, shape);
  if (tile.extents[0] < a.block_m)
    return fail(Code::bad_extent,
                fmt::format("a block of the layout has {} rows, but the tensor of a block has {}", a.block_m,
                            tile.extents[0]));
  Index stride = a.col_stride;
  if (stride == 0) {
    const Index bits = triton_element_bits(element);
    if (a.unpacked && (bits == 0 || bits > 32))
      return fail(Code::missing_layout, "an unpacked layout needs the type of the elements", {},
                  "write it first: f16[128,128]:#ttng.tensor_memory_encoding<...>");
    stride = a.unpacked ? 32 / bits : 1;
  }
  const Index columns = std::min(a.block_n, tile.extents[1]);
  Runs runs({"row", "col", "block"}, shape);
  runs.copies("col", stride);
  const bool half = a.block_m == 64;
  if (!half || a.two_ctas) {
    runs.run("row", 0, a.block_m);
    runs.copies("col", a.fp4_padded ? 2 : 1);
    runs.run("col", 1, columns);
    if (half && columns > 1) {
      runs.of("row").push_back(runs.of("col").back());
      runs.of("col").pop_back();
    }
  } else {
    runs.run("row", 0, 16);
    runs.copies("col", a.fp4_padded ? 2 : 1);
    runs.run("col", 1, columns);
    if (tile.extents[0] > 64) {
      runs.basis("row", 0, 6);
      runs.take(0, 1);
    } else if (tile.extents[1] > columns) {
      runs.run("row", 1, 2);
    } else {
      runs.copies("row", 2);
    }
    runs.basis("row", 0, 4);
    runs.basis("row", 0, 5);
    runs.take(0, 2);
  }
  const std::size_t both[] = {0, 1};
  runs.repeat("col", both, tile.extents);
  runs.cut(tile.extents);
  return with_blocks(std::move(runs), tile);
}

TritonBases scales(const TritonAttribute& a, std::span<const Index> shape) {
  const BlockTile tile = block_tile(a.blocks, shape);
  Runs runs({"row", "col", "block"}, shape);
  runs.run("row", 0, 32);
  runs.copies("row", 4);
  runs.run("col", 1, 4);
  runs.run("col", 0, 2);
  Index rows = std::max<Index>(1, tile.extents[0] / 64);
  const Index columns = std::max<Index>(1, tile.extents[1] / 4);
  if (rows > 1) {
    runs.run("col", 0, 2);
    rows /= 2;
  }
  if (!a.k_then_mn) runs.run("col", 0, rows);
  runs.run("col", 1, columns);
  if (a.k_then_mn) runs.run("col", 0, rows);
  runs.cut(tile.extents);
  return with_blocks(std::move(runs), tile);
}

}  // namespace

Result<TritonBases> shared_bases(const TritonAttribute& a, std::span<const Index> shape) {
  switch (a.kind) {
    case TritonKind::swizzled_shared:
    case TritonKind::amd_rotating_shared:
      return swizzled(a, shape);
    case TritonKind::nvmma_shared:
      return nvmma(a, shape);
    case TritonKind::partitioned_shared:
      return partitioned(a, shape);
    default:
      return with_own_extents(a, shape);
  }
}

Result<TritonBases> tensor_memory_bases(const TritonAttribute& a, std::span<const Index> shape,
                                        std::string_view element) {
  if (a.kind == TritonKind::tensor_memory_scales) return scales(a, shape);
  return tensor_memory(a, shape, element);
}

}  // namespace tessera::triton
