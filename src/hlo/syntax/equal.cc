// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "hlo/syntax/attribute_keys.h"
#include "tessera/hlo/module.h"

namespace tessera {
namespace {

using detail::AttributeForm;

bool equal_attributes(const Attribute& a, const Attribute& b) {
  if (a.key != b.key) return false;
  const AttributeForm form = detail::attribute_form(a.key);
  if (form != AttributeForm::computation && form != AttributeForm::names) return a.value == b.value;
  return detail::listed_names(a.value) == detail::listed_names(b.value);
}

bool equal_attributes(const std::vector<Attribute>& a, const std::vector<Attribute>& b) {
  const auto by_key = [](const std::vector<Attribute>& attributes) {
    std::vector<const Attribute*> sorted;
    for (const Attribute& attribute : attributes) sorted.push_back(&attribute);
    std::ranges::sort(sorted, {}, &Attribute::key);
    return sorted;
  };
  return std::ranges::equal(by_key(a), by_key(b),
                            [](const Attribute* x, const Attribute* y) { return equal_attributes(*x, *y); });
}

// Compares the paths into nested tuples of instructions in two modules.
bool equal_steps(const TupleStep* a, const TupleStep* b) {
  for (; a != nullptr && b != nullptr; a = a->next, b = b->next) {
    if (a->index != b->index) return false;
  }
  return a == b;
}

bool equal_instructions(const Instruction& a, const Instruction& b) {
  const auto same_operand = [](const Operand& x, const Operand& y) {
    return x.instruction->index == y.instruction->index && x.tuple_index == y.tuple_index &&
           equal_steps(x.inner, y.inner);
  };
  const auto same_name = [](const Computation* x, const Computation* y) { return x->name == y->name; };
  return a.name == b.name && a.opcode_text == b.opcode_text && a.type == b.type && a.literal == b.literal &&
         a.parameter_number == b.parameter_number && a.is_root == b.is_root &&
         std::ranges::equal(a.operands, b.operands, same_operand) &&
         std::ranges::equal(a.called, b.called, same_name) && equal_attributes(a.attributes, b.attributes);
}

}  // namespace

bool equal(const HloModule& a, const HloModule& b) {
  const auto same_attribute = [](const Attribute& x, const Attribute& y) {
    return x.key == y.key && x.value == y.value;
  };
  const auto same_computation = [](const auto& x, const auto& y) {
    return x->name == y->name && x->is_entry == y->is_entry && x->execution_thread == y->execution_thread &&
           std::ranges::equal(x->instructions, y->instructions,
                              [](const auto& i, const auto& j) { return equal_instructions(*i, *j); });
  };
  return a.name == b.name && a.stack_tables == b.stack_tables &&
         std::ranges::equal(a.attributes, b.attributes, same_attribute) &&
         std::ranges::equal(a.computations, b.computations, same_computation);
}

}  // namespace tessera
