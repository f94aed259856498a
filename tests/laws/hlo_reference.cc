// SPDX-License-Identifier: Apache-2.0
#include "laws/hlo_reference.h"

#include "base/check.h"
#include "hlo/syntax/attributes.h"

namespace tessera::laws {

void for_each_index(std::span<const Index> extents, const std::function<void(const Indices&)>& visit) {
  for (const Index extent : extents) {
    if (extent == 0) return;
  }
  Indices index(extents.size(), 0);
  while (true) {
    visit(index);
    std::size_t d = extents.size();
    while (d > 0 && ++index[d - 1] == extents[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

Index number_of(std::span<const Index> extents, std::span<const Index> index) {
  Index number = 0;
  for (std::size_t i = 0; i < extents.size(); ++i) number = number * extents[i] + index[i];
  return number;
}

Relation all_pairs(std::span<const Index> output, std::span<const Index> operand) {
  Relation all;
  for_each_index(output, [&](const Indices& o) {
    for_each_index(operand, [&](const Indices& x) { all.insert({o, x}); });
  });
  return all;
}

std::span<const Index> output_dims(const Instruction& instruction, std::size_t output) {
  return outputs(instruction.type)[output].dims();
}

std::span<const Index> operand_dims(const Instruction& instruction, std::size_t operand) {
  return instruction.operand_type(operand).dims();
}

Indices ints(const Instruction& instruction, std::string_view key) {
  auto list = ints_of(instruction, key, {});
  TESSERA_CHECK(list.has_value(), "the tests write good attributes");
  return *list;
}

std::optional<Relation> reference_relation(const Instruction& instruction, std::size_t output,
                                           std::size_t operand, const Values& values) {
  if (auto found = reference_movement(instruction, output, operand)) return found;
  if (auto found = reference_sums(instruction, output, operand, values)) return found;
  if (auto found = reference_indexed(instruction, output, operand, values)) return found;
  return reference_rows(instruction, output, operand);
}

}  // namespace tessera::laws
