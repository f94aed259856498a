// SPDX-License-Identifier: Apache-2.0
#include "hlo/module/leaves.h"

#include <algorithm>
#include <array>

namespace tessera::detail {

std::span<const std::uint32_t> Leaves::offsets(const HloType& type) {
  static constexpr std::array<std::uint32_t, 2> kOne{0, 1};
  if (!type.is_tuple()) return kOne;
  if (const auto found = offsets_.find(&type); found != offsets_.end()) return found->second;
  std::vector<std::uint32_t> starts;
  starts.reserve(type.elements().size() + 1);
  starts.push_back(0);
  for (const HloType& element : type.elements()) starts.push_back(starts.back() + offsets(element).back());
  return offsets_.emplace(&type, std::move(starts)).first->second;
}

std::uint32_t Leaves::first(const Operand& operand) {
  if (operand.tuple_index < 0) return 0;
  const HloType* whole = &operand.instruction->type;
  auto i = static_cast<std::size_t>(operand.tuple_index);
  std::uint32_t leaf = offsets(*whole)[i];
  for (const TupleStep* step = operand.inner; step != nullptr; step = step->next) {
    whole = &whole->elements()[i];
    i = static_cast<std::size_t>(step->index);
    leaf += offsets(*whole)[i];
  }
  return leaf;
}

std::uint32_t Leaves::element(const HloType& type, std::uint32_t leaf) {
  const auto starts = offsets(type);
  // The last element whose first leaf is at or before `leaf`; empty tuples before it have the same first
  // leaf.
  return static_cast<std::uint32_t>(std::ranges::upper_bound(starts, leaf) - starts.begin() - 1);
}

const HloType& Leaves::element_type(const HloType& tuple, std::uint32_t leaf) {
  const std::uint32_t i = element(tuple, leaf);
  return type(tuple.elements()[i], leaf - offsets(tuple)[i]);
}

}  // namespace tessera::detail
