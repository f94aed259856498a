// SPDX-License-Identifier: Apache-2.0
// Plans of single moves.
#include <cstring>
#include <utility>

#include "base/try.h"
#include "tessera/relayout/relayout.h"

namespace tessera {
namespace {

Digits digits_of(const StridedMove& move, Index StridedLoop::* step) {
  std::vector<Index> extents;
  std::vector<Digit> digits;
  for (std::size_t k = 0; k < move.loops.size(); ++k) {
    const StridedLoop& loop = move.loops[k];
    extents.push_back(loop.extent);
    digits.push_back({static_cast<Index>(k), 1, loop.extent, loop.*step});
  }
  return Digits::normalized(std::move(extents), 0, std::move(digits));
}

}  // namespace

Result<RelayoutPlan> make_plan(const StridedMove& move, Index element_bytes, const PlanOptions& options) {
  const Digits from = digits_of(move, &StridedLoop::from);
  const Digits to = digits_of(move, &StridedLoop::to);
  return make_plan(from, {to}, element_bytes, options);
}

Result<RelayoutPlan> PlanCache::plan(const StridedMove& move, Index element_bytes,
                                     const PlanOptions& options) {
  const Digits from = digits_of(move, &StridedLoop::from);
  const Digits to = digits_of(move, &StridedLoop::to);
  return plan(from, {to}, element_bytes, options);
}

Result<void> run(const StridedMove& move, Index element_bytes, const void* src, void* dst, PlanCache& plans,
                 const PlanOptions& options) {
  if (move.is_run()) {
    std::memcpy(dst, src, static_cast<std::size_t>(move.elements() * element_bytes));
    return {};
  }
  TESSERA_TRY(plan, plans.plan(move, element_bytes, options));
  run(plan, src, dst);
  return {};
}

}  // namespace tessera
