// SPDX-License-Identifier: Apache-2.0
#include "tessera/hlo/module.h"

#include <algorithm>

#include "hlo/module/leaves.h"

namespace tessera {

const Attribute* Instruction::attribute(std::string_view key) const {
  const auto found = std::ranges::find(attributes, key, &Attribute::key);
  return found == attributes.end() ? nullptr : &*found;
}

const HloType& Operand::type() const {
  if (tuple_index < 0) return instruction->type;
  const HloType* part = &instruction->type.elements()[static_cast<std::size_t>(tuple_index)];
  for (const TupleStep* step = inner; step != nullptr; step = step->next) {
    part = &part->elements()[static_cast<std::size_t>(step->index)];
  }
  return *part;
}

Instruction* Computation::find(std::string_view instruction_name) const {
  const std::uint32_t place = names.find(instruction_name);
  return place == NameTable::kNone ? nullptr : instructions[place].get();
}

Computation* HloModule::find(std::string_view computation_name) const {
  const std::uint32_t place = names.find(computation_name);
  return place == NameTable::kNone ? nullptr : computations[place].get();
}

std::size_t HloModule::instruction_count() const {
  std::size_t count = 0;
  for (const auto& computation : computations) count += computation->instructions.size();
  return count;
}

const HloType& leaf_type(const HloType& type, std::size_t leaf) {
  if (!type.is_tuple()) return detail::held_type(type);
  for (const HloType& element : type.elements()) {
    const std::uint64_t count = element.leaf_count();
    if (leaf < count) return leaf_type(element, leaf);
    leaf -= count;
  }
  return type;
}

}  // namespace tessera
