// SPDX-License-Identifier: Apache-2.0
#include "hlo/check/runtime_sizes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "hlo/module/as_size.h"
#include "hlo/syntax/attributes.h"

namespace tessera::detail {
namespace {

bool is_dynamic(const HloType& type, std::size_t dim) {
  return type.is_array() && dim < type.rank() && type.array().dim_kind(dim) != DimKind::fixed;
}

/// The value of an operand, unless it is a part of a tuple.
const Instruction* whole_operand(const Instruction& op, std::size_t i) {
  if (i >= op.operands.size() || op.operands[i].tuple_index >= 0) return nullptr;
  return op.operands[i].instruction;
}

/// Attributes are not yet checked: a list that cannot be read is empty.
std::vector<Index> list_of(const Instruction& op, std::string_view key) {
  return ints_of(op, key, {}).value_or(std::vector<Index>{});
}

std::size_t rank_of(const Instruction& op) { return op.type.is_array() ? op.type.rank() : 0; }

bool dim_in(Index d, std::size_t limit) { return d >= 0 && as_size(d) < limit; }

}  // namespace

RuntimeSizes::RuntimeSizes(const HloModule& module) {
  for (const auto& computation : module.computations) {
    for (const auto& op : computation->instructions) {
      if (!op->type.is_array()) continue;
      for (std::size_t d = 0; d < op->type.rank(); ++d) {
        if (!is_dynamic(op->type, d)) continue;
        nodes_.emplace(Place{op.get(), d}, places_.size());
        parent_.push_back(places_.size());
        places_.emplace_back(op.get(), d);
      }
    }
  }
  for (const auto& computation : module.computations) {
    for (const auto& op : computation->instructions) read(*op);
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < parent_.size(); ++i) number_.push_back(root(i) == i ? next++ : 0);
}

std::size_t RuntimeSizes::root(std::size_t node) const {
  while (parent_[node] != node) node = parent_[node];
  return node;
}

void RuntimeSizes::unite(const Place& a, const Place& b) {
  const auto x = nodes_.find(a);
  const auto y = nodes_.find(b);
  if (x == nodes_.end() || y == nodes_.end()) return;
  const std::size_t first = root(x->second);
  const std::size_t second = root(y->second);
  parent_[std::max(first, second)] = std::min(first, second);
  parent_[x->second] = parent_[y->second] = std::min(first, second);
}

void RuntimeSizes::unite_operand(const Instruction& op, std::size_t dim, std::size_t operand,
                                 std::size_t operand_dim) {
  if (const Instruction* const value = whole_operand(op, operand)) unite({&op, dim}, {value, operand_dim});
}

void RuntimeSizes::read(const Instruction& op) {
  if (is_elementwise(op.opcode) || op.opcode == Opcode::copy || op.opcode == Opcode::reverse) {
    for (std::size_t i = 0; i < op.operands.size(); ++i) {
      for (std::size_t d = 0; d < rank_of(op); ++d) unite_operand(op, d, i, d);
    }
    return;
  }
  // Every other operation relates no sizes: its result has names of its own.
  constexpr std::pair<Opcode, void (RuntimeSizes::*)(const Instruction&)> kRules[] = {
      {Opcode::transpose, &RuntimeSizes::read_transpose},
      {Opcode::broadcast, &RuntimeSizes::read_broadcast},
      {Opcode::concatenate, &RuntimeSizes::read_concatenate},
      {Opcode::set_dimension_size, &RuntimeSizes::read_set_dimension_size},
      {Opcode::dot, &RuntimeSizes::read_dot}};
  for (const auto& [opcode, rule] : kRules) {
    if (op.opcode == opcode) (this->*rule)(op);
  }
}

void RuntimeSizes::read_transpose(const Instruction& op) {
  const std::vector<Index> dims = list_of(op, "dimensions");
  for (std::size_t d = 0; d < std::min(rank_of(op), dims.size()); ++d) {
    if (dims[d] >= 0) unite_operand(op, d, 0, as_size(dims[d]));
  }
}

void RuntimeSizes::read_broadcast(const Instruction& op) {
  const std::vector<Index> dims = list_of(op, "dimensions");
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dim_in(dims[i], rank_of(op))) unite_operand(op, as_size(dims[i]), 0, i);
  }
}

void RuntimeSizes::read_concatenate(const Instruction& op) {
  const std::vector<Index> dims = list_of(op, "dimensions");
  for (std::size_t i = 0; i < op.operands.size(); ++i) {
    for (std::size_t d = 0; d < rank_of(op); ++d) {
      if (dims.size() == 1 && dims[0] != static_cast<Index>(d)) unite_operand(op, d, i, d);
    }
  }
}

void RuntimeSizes::read_set_dimension_size(const Instruction& op) {
  const std::vector<Index> dims = list_of(op, "dimensions");
  if (dims.size() != 1) return;
  for (std::size_t d = 0; d < rank_of(op); ++d) {
    if (dims[0] != static_cast<Index>(d)) unite_operand(op, d, 0, d);
  }
  const Instruction* const size = whole_operand(op, 1);
  if (size == nullptr || size->opcode != Opcode::get_dimension_size || !dim_in(dims[0], rank_of(op))) return;
  const Instruction* const of = whole_operand(*size, 0);
  const std::vector<Index> read = list_of(*size, "dimensions");
  if (of != nullptr && read.size() == 1 && read[0] >= 0)
    unite({&op, as_size(dims[0])}, {of, as_size(read[0])});
}

void RuntimeSizes::read_dot(const Instruction& op) {
  const Instruction* const sides[] = {whole_operand(op, 0), whole_operand(op, 1)};
  if (sides[0] == nullptr || sides[1] == nullptr) return;
  const std::vector<Index> batch[] = {list_of(op, "lhs_batch_dims"), list_of(op, "rhs_batch_dims")};
  const std::vector<Index> pairs[] = {list_of(op, "lhs_contracting_dims"),
                                      list_of(op, "rhs_contracting_dims")};
  for (const std::vector<Index>* list : {batch, pairs}) {
    for (std::size_t i = 0; i < std::min(list[0].size(), list[1].size()); ++i) {
      if (list[0][i] >= 0 && list[1][i] >= 0)
        unite({sides[0], as_size(list[0][i])}, {sides[1], as_size(list[1][i])});
    }
  }
  // The result has the batch dimensions, then the others of each side.
  std::size_t out = 0;
  for (; out < batch[0].size(); ++out) {
    if (batch[0][out] >= 0) unite_operand(op, out, 0, as_size(batch[0][out]));
  }
  for (std::size_t s = 0; s < 2; ++s) {
    const std::size_t own = sides[s]->type.is_array() ? sides[s]->type.rank() : 0;
    for (std::size_t d = 0; d < own; ++d) {
      const auto has = [&](const std::vector<Index>& list) {
        return std::ranges::find(list, static_cast<Index>(d)) != list.end();
      };
      if (!has(batch[s]) && !has(pairs[s])) unite_operand(op, out++, s, d);
    }
  }
}

std::string RuntimeSizes::text(const Instruction& value, std::size_t dim) const {
  const auto found = nodes_.find({&value, dim});
  if (found == nodes_.end()) return "";
  const std::size_t node = root(found->second);
  return fmt::format("n{}, the size of dimension {} of {}", number_[node], places_[node].second,
                     printable(places_[node].first->name));
}

}  // namespace tessera::detail
