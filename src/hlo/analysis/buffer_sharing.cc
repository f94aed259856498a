// SPDX-License-Identifier: Apache-2.0
#include "hlo/analysis/buffer_sharing.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "hlo/limits.h"
#include "hlo/ops/forwarding.h"

namespace tessera::detail {
namespace {

bool updates(const Instruction& op) {
  return op.opcode == Opcode::dynamic_update_slice || op.opcode == Opcode::scatter ||
         op.opcode == Opcode::custom_call;
}

bool updates(const Computation& computation) {
  return std::ranges::any_of(computation.instructions, [](const auto& op) { return updates(*op); });
}

// Whether the instruction may write into the buffer of an operand. Elementwise instructions may, too, but
// only if nothing else needs the buffer.
bool may_update(const Instruction& op) {
  if (op.opcode == Opcode::fusion)
    return std::ranges::any_of(op.called, [](const Computation* called) { return updates(*called); });
  return updates(op) || calls_computations(op.opcode) || op.opcode == Opcode::async_update ||
         op.opcode == Opcode::sort || op.opcode == Opcode::unknown;
}

}  // namespace

BufferUses::BufferUses(const Computation& computation, bool is_start, const Attribute* aliases)
    : is_start_(is_start), aliases_(aliases), computation_(computation) {
  for (const auto& op : computation.instructions)
    for (std::size_t i = 0; i < op->operands.size(); ++i)
      users_[op->operands[i].instruction].emplace_back(op.get(), i);
}

// The instruction that makes the array that bitcasts and tuples name.
BufferUses::Value BufferUses::origin(Value value) {
  for (;;) {
    const Instruction& op = *value.op;
    std::size_t operand = 0;
    std::uint32_t leaf = 0;
    if (!op.sound || op.operands.empty()) return value;
    if (op.opcode == Opcode::tuple) {
      operand = leaves_.element(op.type, value.leaf);
      leaf = value.leaf - leaves_.offsets(op.type)[operand];
    } else if (op.opcode == Opcode::get_tuple_element) {
      const auto element = taken_element(op);
      if (!element) return value;
      leaf = leaves_.offsets(op.operand_type(0))[*element] + value.leaf;
    } else if (op.opcode == Opcode::bitcast || op.opcode == Opcode::opt_barrier) {
      leaf = value.leaf;
    } else {
      return value;
    }
    const Operand& read = op.operands[operand];
    value = {read.instruction, leaves_.first(read) + leaf};
  }
}

BufferUses::Readers BufferUses::readers(Value start) {
  Readers out;
  std::vector<Value> names{start};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Value value = names[i];
    if (names.size() > kHloLimits.analysis.sharing_names) {
      out.updated = true;
      return out;
    }
    if (value.op == computation_.root) out.returned = true;
    const auto users = users_.find(value.op);
    if (users == users_.end()) continue;
    for (const auto& [user, place] : users->second) {
      const Operand& read = user->operands[place];
      const std::uint32_t begin = leaves_.first(read);
      if (value.leaf < begin || value.leaf >= begin + leaves_.count(read)) continue;
      std::uint32_t leaf = value.leaf - begin;
      if (user->opcode == Opcode::tuple) {
        leaf += leaves_.offsets(user->type)[place];
      } else if (user->opcode == Opcode::get_tuple_element) {
        const auto element = taken_element(*user);
        if (!element) continue;
        const auto offsets = leaves_.offsets(read.type());
        if (leaf < offsets[*element] || leaf >= offsets[*element + 1]) continue;
        leaf -= offsets[*element];
      } else if (user->opcode != Opcode::bitcast && user->opcode != Opcode::opt_barrier) {
        out.readers.insert(user);
        out.updated = out.updated || may_update(*user);
        continue;
      }
      const Value name{user, leaf};
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  return out;
}

bool BufferUses::donated(const Instruction& parameter) const {
  return aliases_ != nullptr &&
         aliases_->value.find(fmt::format("({},", parameter.parameter_number)) != std::string_view::npos;
}

BufferSharing BufferUses::sharing(const Instruction& first, std::size_t operand, const Instruction& last) {
  const Operand& read = first.operands[operand];
  if (!read.type().is_array()) return BufferSharing::open;
  const Value from = origin({read.instruction, leaves_.first(read)});
  const Readers source = readers(from);
  const Readers result = readers({&last, 0});
  const Opcode made_by = from.op->opcode;
  const bool given = made_by == Opcode::parameter || made_by == Opcode::constant;
  if (result.returned) {
    if (!is_start_) return BufferSharing::open;
    if (source.returned || made_by == Opcode::constant) return BufferSharing::impossible;
    if (made_by == Opcode::parameter)
      return donated(*from.op) ? BufferSharing::open : BufferSharing::impossible;
  }
  const bool only_reader = source.readers.size() == 1 && source.readers.contains(&first) && !source.returned;
  if (only_reader && !given) return BufferSharing::possible;
  return source.updated || result.updated || (given && !is_start_ && source.returned)
             ? BufferSharing::open
             : BufferSharing::possible;
}

}  // namespace tessera::detail
