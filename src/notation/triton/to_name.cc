// SPDX-License-Identifier: Apache-2.0
// From bases to the simplest layout with these bases.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "notation/limits.h"
#include "notation/not_representable.h"
#include "notation/triton/make_attribute.h"

namespace tessera::triton {
namespace {

using List = std::vector<Index>;

// All ways to write n as a product of powers of two, the first dimensions large first.
std::vector<List> splits_of(Index n, std::size_t rank) {
  if (rank == 0) return n == 1 ? std::vector<List>{{}} : std::vector<List>{};
  std::vector<List> out;
  for (Index first = n; first >= 1; first /= 2) {
    for (List rest : splits_of(n / first, rank - 1)) {
      rest.insert(rest.begin(), first);
      out.push_back(std::move(rest));
    }
  }
  return out;
}

std::vector<List> orders_of(std::size_t rank) {
  List order;
  for (std::size_t d = 0; d < rank; ++d) order.push_back(static_cast<Index>(d));
  std::vector<List> all;
  do all.push_back(order);
  while (std::ranges::next_permutation(order).found);
  std::ranges::stable_partition(all,
                                [&](const List& o) { return o.front() == static_cast<Index>(rank) - 1; });
  return all;
}

// The CGALayout of these block bases; nothing if they are not tiles.
std::optional<TritonBasisList> cga_of(const TritonBases& bases) {
  TritonBasisList cga = bases.of("block");
  List blocks(bases.shape.size(), 1);
  for (const List& basis : cga) {
    for (std::size_t d = 0; d < basis.size(); ++d) blocks[d] *= basis[d] != 0 ? 2 : 1;
  }
  for (List& basis : cga) {
    for (std::size_t d = 0; d < basis.size(); ++d) {
      const Index extent = std::max<Index>(1, bases.shape[d] / blocks[d]);
      if (basis[d] % extent != 0) return std::nullopt;
      basis[d] /= extent;
    }
  }
  const TritonBasisList* const lists[] = {&cga};
  if (!flaw_of_bases(lists, static_cast<Index>(bases.shape.size())).empty()) return std::nullopt;
  return cga;
}

bool has_bases(const TritonAttribute& attribute, const TritonBases& bases) {
  const auto map = triton_bases(attribute, bases.shape);
  return map && map->inputs == bases.inputs;
}

class RegisterNames {
 public:
  explicit RegisterNames(const TritonBases& bases)
      : bases_(bases),
        rank_(bases.shape.size()),
        lanes_(Index{1} << bases.of("lane").size()),
        warps_(Index{1} << bases.of("warp").size()),
        cga_(cga_of(bases)) {}

  std::optional<TritonAttribute> find() const {
    if (cga_ && rank_ <= detail::kNotationLimits.triton.register_rank) {
      if (auto name = blocked(bases_, *cga_)) return name;
      std::optional<TritonAttribute> found;
      const auto accept = [&](const TritonAttribute& a) {
        if (!found && has_bases(a, bases_)) found = a;
        return found.has_value();
      };
      each_core(rank_, *cga_, accept);
      if (found) return found;
      if ((found = slice_of_blocked())) return found;
      if (rank_ == 1) each_core_slice(accept);
      if (found) return found;
      each_operand(accept);
      if (found) return found;
    }
    return linear();
  }

 private:
  using Accept = std::function<bool(const TritonAttribute&)>;

  // The power in dimension d of the first basis of a run, or the extent if it was cut; 0 for another basis.
  static Index step_in(const TritonBasisList& list, std::size_t at, std::size_t d, Index extent) {
    for (std::size_t e = 0; e < list[at].size(); ++e) {
      if (e != d && list[at][e] != 0) return 0;
    }
    return list[at][d] == 0 ? extent : list[at][d];
  }

  // What the sizes of a thread must be, so that the first bases of these splits come out; 0 is free.
  static bool sizes_from(const TritonBasisList& list, const List& order, const List& split,
                         const List& extents, const List& before, List& sizes) {
    std::size_t at = 0;
    for (const Index dim : order) {
      const auto d = static_cast<std::size_t>(dim);
      if (split[d] > 1) {
        const Index step = step_in(list, at, d, extents[d]);
        if (step == 0) return false;
        const Index size = std::max<Index>(1, step / before[d]);
        if (step < extents[d] && step % before[d] != 0) return false;
        if (sizes[d] == 0) sizes[d] = size;
      }
      at += static_cast<std::size_t>(log2_of(split[d]));
    }
    return true;
  }

  static std::optional<TritonAttribute> blocked(const TritonBases& bases, const TritonBasisList& cga) {
    const std::size_t rank = bases.shape.size();
    const TritonBasisList& lane = bases.of("lane");
    const TritonBasisList& warp = bases.of("warp");
    List extents = bases.shape;
    for (const List& basis : cga) {
      for (std::size_t d = 0; d < rank; ++d)
        extents[d] = basis[d] != 0 ? std::max<Index>(1, extents[d] / 2) : extents[d];
    }
    const auto lane_splits = splits_of(Index{1} << lane.size(), rank);
    const auto warp_splits = splits_of(Index{1} << warp.size(), rank);
    TritonAttribute a{.kind = TritonKind::blocked, .rank = static_cast<Index>(rank)};
    a.blocks = cga;
    for (const List& order : orders_of(rank)) {
      a.order = order;
      for (const List& lanes : lane_splits) {
        List sizes(rank, 0);
        if (!sizes_from(lane, order, lanes, extents, List(rank, 1), sizes)) continue;
        a.threads_per_warp = lanes;
        for (const List& warps : warp_splits) {
          List own = sizes;
          if (!sizes_from(warp, order, warps, extents, lanes, own)) continue;
          a.warps_per_cta = warps;
          if (each_size(a, own, extents, 0, bases)) return a;
        }
      }
    }
    return std::nullopt;
  }

  // Tries all sizes of a thread that are still free, large first.
  static bool each_size(TritonAttribute& a, List& sizes, const List& extents, std::size_t d,
                        const TritonBases& bases) {
    if (d == sizes.size()) {
      a.size_per_thread = sizes;
      return has_bases(a, bases);
    }
    if (sizes[d] != 0) return each_size(a, sizes, extents, d + 1, bases);
    for (Index size = extents[d]; size >= 1; size /= 2) {
      sizes[d] = size;
      if (each_size(a, sizes, extents, d + 1, bases)) return true;
    }
    sizes[d] = 0;
    return false;
  }

  // Calls `accept` for the layouts of tensor cores until it returns true.
  void each_core(std::size_t rank, const TritonBasisList& cga, const Accept& accept) const {
    if (rank != 2 && rank != 3) return;
    const auto splits = splits_of(warps_, rank);
    const auto each_split = [&](TritonAttribute a) {
      a.rank = static_cast<Index>(rank);
      a.blocks = cga;
      for (const List& warps : splits) {
        if (a.kind == TritonKind::amd_wmma) {
          a.warps.clear();
          for (std::size_t d = rank; d-- > 0;) {
            for (Index power = 1; power < warps[d]; power *= 2) a.warps.emplace_back(rank, 0)[d] = power;
          }
        } else {
          a.warps_per_cta = warps;
        }
        if (accept(a)) return true;
      }
      return false;
    };
    if (lanes_ == 32) {
      TritonAttribute mma{.kind = TritonKind::nvidia_mma};
      mma.version = 2;
      mma.instr_shape = rank == 2 ? List{16, 8} : List{1, 16, 8};
      if (each_split(mma)) return;
      mma.version = 3;
      for (Index n = 256; n >= 8 && rank == 2; n /= 2) {
        mma.instr_shape = {16, n, 16};
        if (each_split(mma)) return;
      }
      for (const auto& [version, transposed] :
           {std::pair(1, false), std::pair(1, true), std::pair(2, false), std::pair(2, true)}) {
        TritonAttribute wmma{.kind = TritonKind::amd_wmma};
        wmma.version = version;
        wmma.transposed = transposed;
        wmma.instr_shape = {16, 16, 16};
        if (each_split(wmma)) return;
      }
    }
    if (lanes_ != 64) return;
    for (const List& shape : {List{32, 32, 8}, List{16, 16, 16}}) {
      for (const bool transposed : {false, true}) {
        TritonAttribute mfma{.kind = TritonKind::amd_mfma};
        mfma.version = 3;
        mfma.instr_shape = shape;
        mfma.transposed = transposed;
        mfma.element_bits = 32;
        mfma.tiles_per_warp.assign(rank, 1);
        if (each_split(mfma)) return;
      }
    }
  }

  static TritonAttribute slice_of(TritonAttribute parent, std::size_t dim) {
    TritonAttribute a{.kind = TritonKind::slice, .rank = parent.rank - 1};
    a.dim = static_cast<Index>(dim);
    a.parent = std::make_shared<const TritonAttribute>(std::move(parent));
    return a;
  }

  std::optional<TritonAttribute> slice_of_blocked() const {
    if (rank_ > 2) return std::nullopt;
    for (std::size_t dim = rank_ + 1; dim-- > 0;) {
      TritonBases whole = bases_;
      TritonBasisList cga = *cga_;
      const auto at = static_cast<std::ptrdiff_t>(dim);
      whole.shape.insert(whole.shape.begin() + at, 1);
      for (TritonInput& input : whole.inputs) {
        for (List& basis : input.bases) basis.insert(basis.begin() + at, 0);
      }
      for (List& basis : cga) basis.insert(basis.begin() + at, 0);
      if (auto parent = blocked(whole, cga)) return slice_of(*std::move(parent), dim);
    }
    return std::nullopt;
  }

  void each_core_slice(const Accept& accept) const {
    bool done = false;
    for (const std::size_t dim : {std::size_t{1}, std::size_t{0}}) {
      TritonBasisList cga = *cga_;
      for (List& basis : cga) basis.insert(basis.begin() + static_cast<std::ptrdiff_t>(dim), 0);
      if (done) return;
      each_core(2, cga, [&](const TritonAttribute& core) { return done = accept(slice_of(core, dim)); });
    }
  }

  void each_operand(const Accept& accept) const {
    each_core(rank_, *cga_, [&](const TritonAttribute& core) {
      for (const Index operand : {0, 1}) {
        if (core.kind == TritonKind::nvidia_mma && core.version == 3 && operand == 1) continue;
        for (const Index width : {1, 2, 4, 8, 16}) {
          if (core.kind == TritonKind::amd_wmma && width < (core.version == 1 ? 8 : 4)) continue;
          TritonAttribute a{.kind = TritonKind::dot_op, .rank = core.rank};
          a.operand = operand;
          a.k_width = width;
          a.parent = std::make_shared<const TritonAttribute>(core);
          if (accept(a)) return true;
        }
      }
      return false;
    });
  }

  std::optional<TritonAttribute> linear() const {
    TritonAttribute a{.kind = TritonKind::linear, .rank = static_cast<Index>(rank_)};
    a.registers = bases_.of("register");
    a.lanes = bases_.of("lane");
    a.warps = bases_.of("warp");
    a.blocks = bases_.of("block");
    const TritonBasisList* const all[] = {&a.registers, &a.lanes, &a.warps, &a.blocks};
    bool any = false;
    for (const TritonBasisList* one : all) any = any || !one->empty();
    if (!any) return std::nullopt;
    if (flaw_of_bases(all, a.rank).empty() && has_bases(a, bases_)) return a;
    const TritonBasisList* const single[] = {&a.registers, &a.lanes, &a.blocks};
    for (const TritonBasisList* one : single) {
      for (const List& basis : *one) {
        if (std::ranges::count_if(basis, [](Index n) { return n != 0; }) > 1) return std::nullopt;
        if (!std::ranges::all_of(basis, [](Index n) { return n == 0 || is_power_of_two(n); }))
          return std::nullopt;
      }
    }
    a.kind = TritonKind::generic_linear;
    if (spans_all(all, extents_of(all, a.rank)) && has_bases(a, bases_)) return a;
    return std::nullopt;
  }

  const TritonBases& bases_;
  std::size_t rank_;
  Index lanes_;
  Index warps_;
  std::optional<TritonBasisList> cga_;
};

// swizzled_shared with this order: the first phases that give the bases.
std::optional<TritonAttribute> swizzled(const TritonBases& bases, const List& order,
                                        const TritonBasisList& cga) {
  TritonAttribute a{.kind = TritonKind::swizzled_shared,
                    .rank = static_cast<Index>(order.size()),
                    .order = order,
                    .blocks = cga};
  a.vec = a.per_phase = a.max_phase = 1;
  if (has_bases(a, bases)) return a;
  const auto columns = static_cast<std::size_t>(order[0]);
  if (order.size() < 2) return std::nullopt;
  const auto rows = static_cast<std::size_t>(order[1]);
  for (const List& basis : bases.of("offset")) {
    if (basis[rows] == 0 || basis[columns] == 0) continue;
    if (a.vec == 1 && a.max_phase == 1) {
      a.per_phase = basis[rows];
      a.vec = basis[columns];
    }
    a.max_phase *= 2;
  }
  if (is_power_of_two(a.vec) && is_power_of_two(a.per_phase) && has_bases(a, bases)) return a;
  return std::nullopt;
}

std::optional<TritonAttribute> memory_name(const TritonBases& bases, Index element_bits) {
  const std::size_t rank = bases.shape.size();
  const auto cga = cga_of(bases);
  if (!bases.of("partition").empty()) return std::nullopt;
  if (!bases.pads.empty()) {
    TritonAttribute a{.kind = TritonKind::padded_shared, .rank = static_cast<Index>(rank)};
    a.offsets = bases.of("offset");
    a.blocks = bases.of("block");
    a.pads = bases.pads;
    return a;
  }
  if (cga && rank <= detail::kNotationLimits.triton.memory_rank) {
    for (const List& order : orders_of(rank)) {
      if (auto name = swizzled(bases, order, *cga)) return name;
    }
  }
  const bool nvmma = element_bits == 8 || element_bits == 16 || element_bits == 32 || element_bits == 64;
  for (const Index width : {128, 64, 32, 0}) {
    for (const bool transposed : {false, true}) {
      if (!nvmma || !cga || (width > 0 && rank < 2)) continue;
      TritonAttribute a{.kind = TritonKind::nvmma_shared, .rank = static_cast<Index>(rank), .blocks = *cga};
      a.swizzle_bytes = width;
      a.element_bits = element_bits;
      a.transposed = transposed;
      if (has_bases(a, bases)) return a;
    }
  }
  TritonAttribute a{.kind = TritonKind::shared_linear, .rank = static_cast<Index>(rank)};
  a.offsets = bases.of("offset");
  a.blocks = bases.of("block");
  a.alignment = 16;
  if (has_bases(a, bases)) return a;
  return std::nullopt;
}

}  // namespace
}  // namespace tessera::triton

namespace tessera {

Result<TritonAttribute> triton_name(const TritonBases& bases, Index element_bits) {
  std::optional<TritonAttribute> name;
  if (!bases.inputs.empty() && bases.inputs.front().name == "register")
    name = triton::RegisterNames(bases).find();
  else if (!bases.inputs.empty() && bases.inputs.front().name == "offset")
    name = triton::memory_name(bases, element_bits);
  if (name) return *std::move(name);
  return detail::not_representable("no_encoding", "none of the layouts that are tried has these bases");
}

}  // namespace tessera
