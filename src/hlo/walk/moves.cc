// SPDX-License-Identifier: Apache-2.0
// Walks through instructions that only move elements.
#include <algorithm>
#include <numeric>

#include "hlo/module/as_size.h"
#include "hlo/ops/reshape.h"
#include "hlo/syntax/attributes.h"
#include "hlo/walk/impl.h"
#include "hlo/walk/limits.h"

namespace tessera {

using detail::Reached;
using detail::Rearrangement;

namespace {

std::vector<Index> inverse(std::span<const Index> order) {
  std::vector<Index> out(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) out[detail::as_size(order[i])] = static_cast<Index>(i);
  return out;
}

bool are_different_dims(std::vector<Index> dims, std::size_t rank) {
  std::ranges::sort(dims);
  return std::ranges::adjacent_find(dims) == dims.end() &&
         std::ranges::all_of(dims, [&](Index d) { return 0 <= d && d < static_cast<Index>(rank); });
}

bool is_permutation(const std::vector<Index>& order, std::size_t rank) {
  return order.size() == rank && are_different_dims(order, rank);
}

/// Whether no dimension is dynamic. The sizes of dynamic dimensions are data, and the positions of elements
/// depend on them.
bool is_fixed(const TensorType& type) {
  for (std::size_t i = 0; i < type.rank(); ++i) {
    if (type.dim_kind(i) != DimKind::fixed) return false;
  }
  return true;
}

bool has_tiles(const TensorType& type) { return type.layout != nullptr && !type.layout->tiles.empty(); }

/// The logical dimensions in the order of the memory, slowest first.
std::vector<Index> memory_order(const TensorType& type) {
  std::vector<Index> order = type.minor_to_major();
  std::ranges::reverse(order);
  return order;
}

/// Moves the elements as the bitcast does. Returns false if the types do not have whole elements without
/// padding between them.
bool move_bitcast(Rearrangement& r, const TensorType& from, const TensorType& to) {
  const auto bits = [](const TensorType& type) {
    return std::pair(bit_width(type.dtype), type.layout == nullptr ? 0 : type.layout->element_bits);
  };
  const std::vector<Index> before = memory_order(from);
  const std::vector<Index> after = memory_order(to);
  if (has_tiles(from) || has_tiles(to) || bits(from) != bits(to) || !is_permutation(before, from.rank()) ||
      !is_permutation(after, to.rank())) {
    return false;
  }
  std::vector<Index> extents;
  for (const Index d : after) extents.push_back(to.dims[detail::as_size(d)]);
  r.transpose(before);
  r.reshape(extents);
  r.transpose(inverse(after));
  return true;
}

/// Moves the elements from `from` to `to`, the types of the result and the operand of `op` or the reverse.
bool move_elements(Rearrangement& r, const Instruction& op, const TensorType& from, const TensorType& to,
                   bool to_operand) {
  switch (op.opcode) {
    case Opcode::reshape:
      if (!is_fixed(from) || !is_fixed(to)) return false;
      r.reshape(to.dims);
      return true;
    case Opcode::transpose: {
      // Dimension i of the result is dimension order[i] of the operand.
      const auto order = ints_of(op, "dimensions");
      if (!order || !is_permutation(*order, from.rank())) return false;
      r.transpose(to_operand ? inverse(*order) : *order);
      return true;
    }
    case Opcode::reverse: {
      const auto dims = ints_of(op, "dimensions");
      if (!dims || !are_different_dims(*dims, from.rank()) || !is_fixed(from)) return false;
      r.reverse(*dims);
      return true;
    }
    case Opcode::bitcast:
      return move_bitcast(r, from, to);
    default:
      return false;
  }
}

}  // namespace

std::shared_ptr<Reached::Moves> ProgramIndexing::Impl::moved_through(const Reached& reached,
                                                                     const Instruction& op, bool to_operand) {
  switch (op.opcode) {
    case Opcode::reshape:
    case Opcode::transpose:
    case Opcode::reverse:
    case Opcode::bitcast:
      break;
    default:
      return nullptr;
  }
  std::shared_ptr<const Rearrangement> all;
  if (reached.moved) {
    all = move_of(reached.moved->all.get(), op, to_operand);
  } else {
    // Most moves come after no others, and many walks pass through the same instruction.
    const auto [known, is_new] = move_memo.try_emplace({&op, to_operand ? 1U : 0U, 0});
    if (is_new) known->second = move_of(nullptr, op, to_operand);
    all = known->second;
  }
  return all ? std::make_shared<Reached::Moves>(std::move(all)) : nullptr;
}

std::shared_ptr<const Rearrangement> ProgramIndexing::Impl::move_of(const Rearrangement* before,
                                                                    const Instruction& op, bool to_operand) {
  if (!op.sound || op.operands.size() != 1 || !op.type.is_array() || !op.operand_type(0).is_array())
    return nullptr;
  const TensorType& from = (to_operand ? op.type : op.operand_type(0)).array();
  const TensorType& to = (to_operand ? op.operand_type(0) : op.type).array();
  const auto count = [](const TensorType& type) -> std::optional<Index> {
    if (std::ranges::any_of(type.dims, [](Index d) { return d < 1; })) return std::nullopt;
    return detail::element_count(type.dims);
  };
  if (!count(from) || count(from) != count(to)) return nullptr;
  Rearrangement r = before != nullptr ? *before : Rearrangement(from.dims);
  if (!std::ranges::equal(r.extents(), from.dims)) return nullptr;
  if (!move_elements(r, op, from, to, to_operand) || !std::ranges::equal(r.extents(), to.dims))
    return nullptr;
  return std::make_shared<const Rearrangement>(std::move(r));
}

void ProgramIndexing::Impl::settle(Reached& reached, const HloType& leaf, const Domain& start) {
  if (!reached.moved) return;
  const Rearrangement& all = *reached.moved->all;
  // Another value with the same moves may need the same maps. Its own maps may be fewer if only the footprint
  // counts, and it may be part of the array only.
  const auto dims = detail::extents(leaf);
  const bool again =
      reached.moved.use_count() > 1 && !options.footprint && dims && std::ranges::equal(all.extents(), *dims);
  if (again && !reached.moved->settled.empty()) {
    reached = {.maps = reached.moved->settled};
    return;
  }
  const std::vector<Expr> moved = all.results();
  Reached settled;
  auto& [maps, fingerprints] = settled.maps.edit();
  detail::LimitedSet set(maps, fingerprints, leaf, start, options);
  for (const Indexing& x : reached.maps.get()) set.add_moved(x, all.start(), moved);
  if (again) reached.moved->settled = settled.maps;
  reached = std::move(settled);
}

void ProgramIndexing::Impl::hand_on(Reached& target, Reached from, const HloType& leaf, const Domain& start) {
  if (from.moved && from.moved->all->deep()) settle(from, leaf, start);
  if (target.maps.empty()) {
    target = std::move(from);
    return;
  }
  if (target.same_as(from)) return;
  settle(target, leaf, start);
  settle(from, leaf, start);
  auto& [maps, fingerprints] = target.maps.edit();
  detail::LimitedSet set(maps, fingerprints, leaf, start, options);
  for (const Indexing& x : from.maps.get()) set.add(x);
}

}  // namespace tessera
