// SPDX-License-Identifier: Apache-2.0
#include "tile/contraction.h"

#include <fmt/format.h>

#include <algorithm>

#include "hlo/syntax/attributes.h"

namespace tessera::detail {
namespace {

// The contraction of a reduce or a dot.
Contraction own_contraction(const Instruction& instruction) {
  Contraction out{.sum = &instruction};
  if (instruction.operands.empty()) return out;
  std::vector<Index> dims;
  const Attribute* attribute = nullptr;
  if (instruction.opcode == Opcode::reduce) {
    attribute = instruction.attribute("dimensions");
  } else if (instruction.opcode == Opcode::dot || instruction.opcode_text == "scaled-dot") {
    attribute = instruction.attribute("lhs_contracting_dims");
  }
  const auto read = attribute != nullptr ? read_ints(*attribute) : Result<std::vector<Index>>(dims);
  const auto extents = array_extents(instruction.operand_type(0), 0);
  if (!read || !extents) return out;
  dims = *read;
  for (const Index d : dims) {
    if (d < 0 || d >= static_cast<Index>(extents->size())) return {};
    out.extents.push_back((*extents)[static_cast<std::size_t>(d)]);
  }
  // The range variables of a reduction's maps are in the order of dimensions; those of a dot's maps are in
  // the order of pairs.
  std::vector<Index> numbered = dims;
  if (instruction.opcode == Opcode::reduce) std::ranges::sort(numbered);
  for (const Index d : numbered)
    out.order.push_back(static_cast<std::size_t>(std::ranges::find(dims, d) - dims.begin()));
  return out;
}

// True if every element of the result depends on at most one element of each operand.
bool sums_nothing(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::parameter:
    case Opcode::constant:
    case Opcode::iota:
    case Opcode::broadcast:
    case Opcode::transpose:
    case Opcode::reshape:
    case Opcode::bitcast:
    case Opcode::copy:
    case Opcode::slice:
    case Opcode::dynamic_slice:
    case Opcode::pad:
    case Opcode::concatenate:
    case Opcode::reverse:
    case Opcode::tuple:
    case Opcode::get_tuple_element:
      return true;
    default:
      return is_elementwise(instruction.opcode);
  }
}

}  // namespace

Contraction contraction_of(const Instruction& instruction) {
  if (instruction.opcode != Opcode::fusion) return own_contraction(instruction);
  if (instruction.called.size() != 1 || instruction.called[0] == nullptr) return {};
  Contraction out;
  for (const auto& inner : instruction.called[0]->instructions) {
    if (sums_nothing(*inner)) continue;
    Contraction own = own_contraction(*inner);
    if (own.extents.empty() || !out.extents.empty()) return {};
    out = std::move(own);
  }
  return out;
}

Result<std::vector<Index>> array_extents(const HloType& type, std::size_t leaf) {
  if (leaf >= type.leaf_count())
    return fail(Code::index_out_of_range, fmt::format("there is no leaf {}", leaf));
  const HloType& own = leaf_type(type, leaf);
  if (!own.is_array()) return std::vector<Index>{};
  return std::vector<Index>(own.array().dims.begin(), own.array().dims.end());
}

}  // namespace tessera::detail
