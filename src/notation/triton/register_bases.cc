// SPDX-License-Identifier: Apache-2.0
// The maps of register layouts, kind by kind.
#include "notation/triton/register_bases.h"

#include <algorithm>

#include "base/try.h"
#include "notation/triton/runs.h"

namespace tessera::triton {
namespace {

using Dims = std::vector<std::size_t>;

Dims last_first(std::size_t rank) {
  Dims order;
  for (std::size_t d = rank; d-- > 0;) order.push_back(d);
  return order;
}

// k, the other dimension of the product, then the rest.
Dims operand_order(std::size_t rank, std::size_t k, std::size_t other) {
  Dims order = {k, other};
  for (const std::size_t d : last_first(rank)) {
    if (d != k && d != other) order.push_back(d);
  }
  return order;
}

Runs registers_of(std::span<const Index> shape) { return Runs({"register", "lane", "warp", "block"}, shape); }

TritonBases finish(Runs runs, const BlockTile& tile, const Dims& order, bool drops_zeros = false) {
  runs.repeat("register", order, tile.extents);
  runs.cut(tile.extents);
  if (drops_zeros) runs.drop_zeros("register");
  runs.set_blocks(tile);
  return runs.take_map();
}

Dims dims_of(const std::vector<Index>& order) {
  Dims dims;
  for (const Index d : order) dims.push_back(static_cast<std::size_t>(d));
  return dims;
}

TritonBases blocked(const TritonAttribute& a, std::span<const Index> shape) {
  const Dims order = dims_of(a.order);
  Runs runs = registers_of(shape);
  for (const std::size_t d : order) runs.run("register", d, a.size_per_thread[d]);
  for (const std::size_t d : order) runs.run("lane", d, a.threads_per_warp[d]);
  for (const std::size_t d : order) runs.run("warp", d, a.warps_per_cta[d]);
  return finish(std::move(runs), block_tile(a.blocks, shape), order, true);
}

// Extents of their own; only register bases that the cut makes zero are dropped.
TritonBases linear(const TritonAttribute& a, std::span<const Index> shape) {
  const TritonBasisList* const all[] = {&a.registers, &a.lanes, &a.warps, &a.blocks};
  const std::vector<Index> extents = extents_of(all, a.rank);
  Runs runs = registers_of(shape);
  const auto is_cut = [&](const std::vector<Index>& basis) {
    bool kept = false;
    bool zero = true;
    for (std::size_t d = 0; d < basis.size(); ++d) {
      zero = zero && basis[d] == 0;
      kept = kept || (basis[d] != 0 && basis[d] < shape[d]);
    }
    return !zero && !kept;
  };
  for (const std::vector<Index>& basis : a.registers) {
    if (!is_cut(basis)) runs.of("register").push_back(basis);
  }
  const TritonBasisList* const registers[] = {&a.registers};
  for (const std::size_t d : dims_of(order_of_use(registers, a.rank))) {
    for (Index power = extents[d]; power < shape[d]; power *= 2) runs.basis("register", d, log2_of(power));
  }
  runs.of("lane") = a.lanes;
  runs.of("warp") = a.warps;
  runs.of("block") = a.blocks;
  runs.cut(shape);
  return runs.take_map();
}

Result<TritonBases> slice(const TritonAttribute& a, std::span<const Index> shape) {
  const auto dim = static_cast<std::ptrdiff_t>(a.dim);
  std::vector<Index> whole(shape.begin(), shape.end());
  whole.insert(whole.begin() + dim, 1);
  TESSERA_TRY(map, register_bases(*a.parent, whole));
  map.shape.erase(map.shape.begin() + dim);
  for (TritonInput& input : map.inputs) {
    for (std::vector<Index>& basis : input.bases) basis.erase(basis.begin() + dim);
    if (input.name == "register")
      std::erase_if(input.bases, [](const std::vector<Index>& basis) {
        return std::ranges::all_of(basis, [](Index n) { return n == 0; });
      });
  }
  return map;
}

Dims warp_order(const TritonAttribute& a) {
  const std::size_t r = a.warps_per_cta.size();
  return a.version == 3 ? Dims{r - 2, r - 1} : last_first(r);
}

TritonBases nvidia_mma(const TritonAttribute& a, std::span<const Index> shape) {
  const std::size_t r = shape.size();
  const std::size_t m = r - 2;
  const std::size_t n = r - 1;
  const Index rows = a.version == 3 ? 16 : a.instr_shape[m];
  const Index columns = a.version == 3 ? a.instr_shape[1] : a.instr_shape[n];
  Runs runs = registers_of(shape);
  runs.run("register", n, 2);
  runs.run("lane", n, 4);
  runs.run("lane", m, 8);
  runs.run("register", m, rows / 8);
  runs.run("register", n, columns / 8);
  for (const std::size_t d : warp_order(a)) runs.run("warp", d, a.warps_per_cta[d]);
  return finish(std::move(runs), block_tile(a.blocks, shape), last_first(r));
}

void mfma_tail(Runs& runs, const TritonAttribute& a, std::size_t d) {
  runs.run("register", d, a.tiles_per_warp[d]);
  runs.run("warp", d, a.warps_per_cta[d]);
}

TritonBases amd_mfma(const TritonAttribute& a, std::span<const Index> shape) {
  const std::size_t r = shape.size();
  const std::size_t m = r - 2;
  const std::size_t n = r - 1;
  const Index rows = a.instr_shape[0];
  const Index columns = a.instr_shape[1];
  const Index height = a.element_bits == 64 ? 1 : 4;
  const std::size_t first = a.transposed ? n : m;
  const std::size_t second = a.transposed ? m : n;
  const Index side = a.transposed ? rows : columns;
  Runs runs = registers_of(shape);
  runs.run("register", first, height);
  runs.run("lane", second, side);
  runs.run("lane", first, 64 / side);
  runs.run("register", first, rows * columns / (64 * height));
  mfma_tail(runs, a, n);
  // Divided one by one: the product may have more than 64 bits.
  runs.run("register", n, shape[n] / columns / a.warps_per_cta[n] / a.tiles_per_warp[n]);
  mfma_tail(runs, a, m);
  if (r == 3) runs.run("warp", 0, a.warps_per_cta[0]);
  return finish(std::move(runs), block_tile(a.blocks, shape), last_first(r));
}

// The bases of ctaLayout after the tile; along `without` they are 0.
void cta_bases(Runs& runs, const TritonAttribute& a, std::optional<std::size_t> without) {
  const TritonBasisList* const both[] = {&a.registers, &a.warps};
  const std::vector<Index> extents = extents_of(both, a.rank);
  for (const auto& [name, list] : {std::pair("register", &a.registers), std::pair("warp", &a.warps)}) {
    for (std::vector<Index> basis : *list) {
      bool zero = true;
      for (std::size_t d = 0; d < basis.size(); ++d) {
        basis[d] = d == without ? 0 : basis[d] << runs.taken(d);
        zero = zero && basis[d] == 0;
      }
      if (zero && without && list == &a.registers) continue;
      runs.of(name).push_back(std::move(basis));
    }
  }
  for (std::size_t d = 0; d < extents.size(); ++d) {
    if (d != without) runs.take(d, log2_of(extents[d]));
  }
}

TritonBases amd_wmma(const TritonAttribute& a, std::span<const Index> shape) {
  const std::size_t r = shape.size();
  const std::size_t first = a.transposed ? r - 1 : r - 2;
  const std::size_t second = a.transposed ? r - 2 : r - 1;
  Runs runs = registers_of(shape);
  if (a.version == 1) {
    runs.run("lane", second, 16);
    runs.run("lane", first, 2);
    runs.run("register", first, 8);
  } else {
    runs.run("register", first, 8);
    runs.run("lane", second, 16);
    runs.run("lane", first, 2);
    if (a.instr_shape[0] == 32) runs.run("register", first, 2);
  }
  cta_bases(runs, a, std::nullopt);
  return finish(std::move(runs), block_tile(a.blocks, shape), last_first(r));
}

// The map of an operand of a product: dimension k is summed over, `other` is its dimension of the result.
struct Operand {
  const TritonAttribute& own;
  const TritonAttribute& parent;
  std::span<const Index> shape;
  std::size_t k;
  std::size_t other;
  BlockTile tile;

  Dims order() const { return operand_order(shape.size(), k, other); }
  void warps(Runs& runs, const Dims& dims, bool with_k) const {
    for (const std::size_t d : dims) {
      if (d == k && !with_k)
        runs.copies("warp", parent.warps_per_cta[d]);
      else
        runs.run("warp", d, parent.warps_per_cta[d]);
    }
  }

  TritonBases of_nvidia() const {
    const std::size_t m = shape.size() - 2;
    const Index instruction_rows = parent.version == 3 ? 16 : parent.instr_shape[m];
    const Index rows = own.operand == 0 ? instruction_rows : 8;
    const Index quads = instruction_rows == 8 ? 4 : 8;
    Runs runs = registers_of(shape);
    runs.run("register", k, own.k_width);
    runs.run("lane", k, 4);
    runs.run("lane", other, 8);
    runs.run("register", other, rows / 8);
    runs.run("register", k, quads / 4);
    warps(runs, warp_order(parent), false);
    return finish(std::move(runs), tile, order());
  }

  TritonBases of_blocked() const {
    const Dims dims = dims_of(parent.order);
    Runs runs = registers_of(shape);
    for (const std::size_t d : dims)
      runs.run("register", d, d == k ? tile.extents[d] : parent.size_per_thread[d]);
    for (const std::size_t d : dims) {
      if (d == k)
        runs.copies("lane", parent.threads_per_warp[d]);
      else
        runs.run("lane", d, parent.threads_per_warp[d]);
    }
    warps(runs, dims, false);
    return finish(std::move(runs), tile, dims);
  }

  TritonBases of_mfma() const {
    const Index side = parent.instr_shape[own.operand == 0 ? 0 : 1];
    Runs runs = registers_of(shape);
    runs.run("register", k, own.k_width);
    runs.run("lane", other, side);
    runs.run("lane", k, 64 / side);
    if (side == 64) runs.run("register", k, 16);
    while (runs.taken(k) < log2_of(shape[k])) runs.run("register", k, 2);
    runs.run("register", other, parent.tiles_per_warp[other]);
    warps(runs, last_first(shape.size()), true);
    return finish(std::move(runs), tile, order());
  }

  TritonBases of_wmma() const {
    const Index rows = parent.instr_shape[0];
    const Index columns = parent.instr_shape[1];
    const bool turned = parent.transposed && rows != columns;
    const Index side = (own.operand == 0) != turned ? rows : columns;
    Runs runs = registers_of(shape);
    runs.run("register", k, own.k_width);
    runs.run("lane", other, 16);
    if (parent.version == 1)
      runs.copies("lane", 2);
    else
      runs.run("lane", k, 2);
    runs.run("register", k, parent.instr_shape[2] / (2 * own.k_width));
    runs.run("register", other, side / 16);
    cta_bases(runs, parent, k);
    return finish(std::move(runs), tile, order());
  }
};

TritonBases dot_op(const TritonAttribute& a, std::span<const Index> shape) {
  const std::size_t r = shape.size();
  const std::size_t k = a.operand == 0 ? r - 1 : r - 2;
  TritonBasisList cga = a.parent->blocks;
  if (a.parent->kind != TritonKind::amd_mfma) {
    for (std::vector<Index>& basis : cga) basis[k] = 0;
  }
  const Operand operand{
      a, *a.parent, shape, k, a.operand == 0 ? r - 2 : r - 1, block_tile(std::move(cga), shape)};
  switch (a.parent->kind) {
    case TritonKind::nvidia_mma:
      return operand.of_nvidia();
    case TritonKind::amd_mfma:
      return operand.of_mfma();
    case TritonKind::amd_wmma:
      return operand.of_wmma();
    default:
      return operand.of_blocked();
  }
}

}  // namespace

Result<TritonBases> register_bases(const TritonAttribute& a, std::span<const Index> shape) {
  switch (a.kind) {
    case TritonKind::blocked:
      return blocked(a, shape);
    case TritonKind::slice:
      return slice(a, shape);
    case TritonKind::dot_op:
      return dot_op(a, shape);
    case TritonKind::nvidia_mma:
      return nvidia_mma(a, shape);
    case TritonKind::amd_mfma:
      return amd_mfma(a, shape);
    case TritonKind::amd_wmma:
      return amd_wmma(a, shape);
    default:
      return linear(a, shape);
  }
}

}  // namespace tessera::triton
