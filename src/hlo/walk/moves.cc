// SPDX-License-Identifier: Apache-2.0
// Walks through instructions that only move elements.
#include <algorithm>

#include "base/index_walk.h"
#include "hlo/indexing/compose_normalized.h"
#include "hlo/limits.h"
#include "hlo/ops/reshape.h"
#include "hlo/walk/limited_set.h"
#include "hlo/walk/program_indexing.h"
#include "hlo/walk/steps.h"

namespace tessera {

using detail::Reached;

namespace {

bool may_move(Opcode opcode) {
  return opcode == Opcode::reshape || opcode == Opcode::transpose || opcode == Opcode::reverse ||
         opcode == Opcode::bitcast;
}

/// Whether the indices of the map are those of the type.
bool starts_at(const Indexing& x, const HloType& type) {
  const auto dims = detail::extents(type);
  return dims && std::ranges::equal(x.map.variables(), *dims, [](const Variable& v, Index extent) {
           return v.bounds == Interval{0, extent - 1};
         });
}

/// Whether the map leads from each element of `from` to another element of `to`, and reaches all of them,
/// given that it is that of an instruction which keeps all elements.
bool moves_all(const IndexingSet& maps, const HloType& from, const HloType& to) {
  if (maps.size() != 1 || !from.is_array() || !to.is_array()) return false;
  const Indexing& x = maps[0];
  const auto dims = detail::extents(from);
  const auto target = detail::extents(to);
  if (x.exactness != Exactness::exact || !x.runtime.empty() || !x.replica.empty() || x.map.known_empty() ||
      x.map.domain().symbol_count() > 0 || !x.map.constraints().empty() || !dims || !target ||
      detail::element_count(*dims) != detail::element_count(*target)) {
    return false;
  }
  return starts_at(x, from);
}

/// Whether the second move undoes the first and ends at a value of type `end`.
bool leads_back(const Indexing& first, const Indexing& second, const HloType& end) {
  return starts_at(first, end) && detail::is_identity(detail::compose_normalized(first, second), end);
}

/// The moves, joined where that keeps them small: most sets have several maps, each of which is composed with
/// each part.
std::vector<Indexing> joined(const Reached::Moves& moves, std::uint64_t& work) {
  std::vector<const Reached::Moves*> all;
  for (const Reached::Moves* m = &moves; m != nullptr; m = m->before.get()) all.push_back(m);
  std::vector<Indexing> out;
  for (; !all.empty(); all.pop_back()) {
    const Indexing& next = *all.back()->last;
    const std::uint64_t cost = out.empty() ? 0 : detail::composition_cost(out.back(), next);
    if (!out.empty() && cost <= work) {
      work -= cost;
      Indexing both = detail::compose_normalized(out.back(), next);
      if (detail::operator_count(both.map) <= detail::kHloLimits.walk.joined_operators) {
        out.back() = std::move(both);
        continue;
      }
    }
    out.push_back(next);
  }
  return out;
}

}  // namespace

std::shared_ptr<const Indexing> ProgramIndexing::Impl::move_of(const Instruction& op, bool to_operand) {
  if (!may_move(op.opcode) || !op.sound || op.operands.size() != 1) return nullptr;
  const auto [known, is_new] = move_memo.try_emplace({&op, to_operand ? 1U : 0U, 0});
  if (!is_new) return known->second;
  const auto keep = [&](const auto& all, const HloType& from, const HloType& to) {
    if (all.size() == 1 && moves_all(all[0].maps, from, to))
      known->second = std::make_shared<const Indexing>(all[0].maps[0]);
  };
  if (to_operand) {
    keep(kept_steps(op, 0), op.type, op.operand_type(0));
  } else {
    keep(kept_uses(op, 0, 0), op.operand_type(0), op.type);
  }
  return known->second;
}

std::optional<Reached> ProgramIndexing::Impl::moved_through(const Reached& reached, const Instruction& op,
                                                            bool to_operand) {
  auto next = move_of(op, to_operand);
  if (!next) return std::nullopt;
  if (reached.moved && leads_back(*reached.moved->last, *next, to_operand ? op.operand_type(0) : op.type))
    return Reached{.maps = reached.maps, .moved = reached.moved->before};
  return Reached{.maps = reached.maps,
                 .moved = std::make_shared<Reached::Moves>(std::move(next), reached.moved)};
}

void ProgramIndexing::Impl::settle(Reached& reached, const HloType& leaf, const Domain& start,
                                   std::uint64_t& work) {
  if (!reached.moved) return;
  // Another value with the same moves may need the same maps. Its own maps may be fewer if only the footprint
  // counts.
  const bool again = reached.moved.use_count() > 1 && !options.footprint;
  if (again && !reached.moved->settled.empty()) {
    reached = {.maps = reached.moved->settled};
    return;
  }
  Reached settled;
  auto& [maps, fingerprints] = settled.maps.edit();
  detail::LimitedSet set(maps, fingerprints, leaf, start, options);
  const std::vector<Indexing> moves = joined(*reached.moved, work);
  for (const Indexing& x : reached.maps.get()) set.add_moved(x, moves, work);
  if (again) reached.moved->settled = settled.maps;
  reached = std::move(settled);
}

void ProgramIndexing::Impl::hand_on(Reached& target, Reached from, const HloType& leaf, const Domain& start,
                                    std::uint64_t& work) {
  if (from.moved && from.moved->count >= detail::kHloLimits.walk.moves) settle(from, leaf, start, work);
  if (target.maps.empty()) {
    target = std::move(from);
    return;
  }
  if (target.same_as(from)) return;
  settle(target, leaf, start, work);
  settle(from, leaf, start, work);
  auto& [maps, fingerprints] = target.maps.edit();
  detail::LimitedSet set(maps, fingerprints, leaf, start, options);
  for (const Indexing& x : from.maps.get()) set.add(x);
}

}  // namespace tessera
