// SPDX-License-Identifier: Apache-2.0
// What a computation passes on unchanged, and what a loop may depend on.
#include <bit>
#include <functional>
#include <utility>

#include "hlo/limits.h"
#include "hlo/walk/program_indexing.h"

namespace tessera {

std::optional<HloValue> ProgramIndexing::Impl::trace(const Computation& computation, HloValue value) {
  // Operands come before their users, so this takes at most as many steps as there are instructions.
  while (value.instruction->opcode != Opcode::parameter) {
    const Instruction& at = *value.instruction;
    if (!at.sound || at.operands.empty()) return std::nullopt;
    std::optional<detail::ForwardedLeaf> from;
    if (only_forwards(at.opcode)) {
      from = forwarded(at, value.leaf);
    } else if (at.opcode == Opcode::copy) {
      from = {.operand = 0, .leaf = value.leaf};
    } else if ((at.opcode == Opcode::call || at.opcode == Opcode::fusion) && at.called.size() == 1) {
      if (const auto parameter = unchanged_from(*at.called[0], value.leaf)) {
        from = {.operand = static_cast<std::uint32_t>(parameter->instruction->parameter_number),
                .leaf = parameter->leaf};
      }
    } else if (at.opcode == Opcode::while_ && handed_through(at, value.leaf)) {
      from = {.operand = 0, .leaf = value.leaf};
    }
    if (!from || from->operand >= at.operands.size()) return std::nullopt;
    const Operand& operand = at.operands[from->operand];
    value = {operand.instruction, leaves.first(operand) + from->leaf};
  }
  return value.instruction->parent == &computation ? std::optional(value) : std::nullopt;
}

std::optional<HloValue> ProgramIndexing::Impl::unchanged_from(const Computation& computation,
                                                              std::uint32_t root_leaf) {
  if (computation.root == nullptr || root_leaf >= leaves.count(computation.root->type) ||
      call_height(computation) > detail::kHloLimits.walk.call_height) {
    return std::nullopt;
  }
  const detail::PortKey key{&computation, 0, root_leaf};
  if (const auto found = unchanged_memo.find(key); found != unchanged_memo.end()) return found->second;
  const auto value = trace(computation, {computation.root, root_leaf});
  unchanged_memo.emplace(key, value);
  return value;
}

const Computation* ProgramIndexing::Impl::called_as(const Instruction& caller, std::string_view attribute) {
  const Attribute* found = caller.attribute(attribute);
  if (found == nullptr) return nullptr;
  const std::string_view name = found->value.starts_with('%') ? found->value.substr(1) : found->value;
  for (const Computation* called : caller.called) {
    if (called->name == name) return called;
  }
  return nullptr;
}

bool ProgramIndexing::Impl::handed_through(const Instruction& loop, std::uint32_t leaf) {
  const Computation* body = called_as(loop, "body");
  if (body == nullptr) return false;
  const auto value = unchanged_from(*body, leaf);
  return value && value->instruction->parameter_number == 0 && value->leaf == leaf;
}

namespace {

void unite(std::span<std::uint64_t> to, std::span<const std::uint64_t> from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] |= from[i];
}

void set_bit(std::span<std::uint64_t> bits, std::uint32_t i) { bits[i / 64] |= std::uint64_t{1} << (i % 64); }

}  // namespace

void ProgramIndexing::Impl::for_each_dependence(
    const Instruction& at, std::uint32_t leaf,
    const std::function<void(std::size_t operand, std::uint32_t array)>& visit) {
  const auto all = [&] {
    for (std::size_t j = 0; j < at.operands.size(); ++j) {
      for (std::uint32_t array = 0; array < leaves.count(at.operands[j]); ++array) visit(j, array);
    }
  };
  // Visits what array `leaf` of the result of `callee` depends on. Parameter 0 of `callee` is operand
  // `first`.
  const auto through = [&](const detail::Dependences& callee, std::size_t first) {
    if (callee.everything || leaf >= callee.rows.size()) return all();
    for (std::size_t p = 0; p + 1 < callee.parameter_start.size(); ++p) {
      const std::uint32_t start = callee.parameter_start[p];
      const std::uint32_t arrays = callee.parameter_start[p + 1] - start;
      if (first + p >= at.operands.size() || arrays > leaves.count(at.operands[first + p])) return all();
      for (std::uint32_t array = 0; array < arrays; ++array) {
        if (callee(leaf, start + array)) visit(first + p, array);
      }
    }
  };
  if (!at.sound) return all();
  if (only_forwards(at.opcode)) {
    if (const auto array = forwarded(at, leaf)) return visit(array->operand, array->leaf);
    // An update or an end computes a result that the start did not bind.
    if (at.opcode == Opcode::async_update || at.opcode == Opcode::async_done) all();
  } else if (trait_of(at.opcode) == OpcodeTrait::calls && at.called.size() == 1) {
    through(dependences(*at.called[0]), 0);
  } else if (at.opcode == Opcode::conditional && at.operands.size() == at.called.size() + 1) {
    visit(0, 0);
    for (std::size_t branch = 0; branch < at.called.size(); ++branch)
      through(dependences(*at.called[branch]), branch + 1);
  } else if (at.opcode == Opcode::while_ && at.operands.size() == 1) {
    through(loop_dependences(at), 0);
  } else {
    all();
  }
}

const detail::Dependences& ProgramIndexing::Impl::dependences(const Computation& computation) {
  if (const auto found = dependence_memo.find(&computation); found != dependence_memo.end())
    return found->second;
  detail::Dependences out;
  out.parameter_start.push_back(0);
  for (const Instruction* parameter : computation.parameters) {
    out.parameter_start.push_back(out.parameter_start.back() +
                                  (parameter == nullptr ? 0 : leaves.count(parameter->type)));
  }
  const std::size_t columns = out.parameter_start.back();
  const std::size_t words = (columns + 63) / 64;
  std::size_t values = 0;
  bool sound_parameters = true;  // each number is an index of `parameters`
  for (const auto& instruction : computation.instructions) {
    values += leaves.count(instruction->type);
    if (instruction->opcode == Opcode::parameter) sound_parameters = sound_parameters && instruction->sound;
  }
  if (computation.root == nullptr || !sound_parameters || columns > detail::kHloLimits.walk.loop_columns ||
      values * words > detail::kHloLimits.walk.loop_words ||
      call_height(computation) > detail::kHloLimits.walk.call_height) {
    out.everything = true;
    return dependence_memo.emplace(&computation, std::move(out)).first->second;
  }
  detail::BitRows of(values, columns);
  std::vector<std::size_t> first;  // the row of each instruction's first array
  std::size_t next = 0;
  for (const auto& pointer : computation.instructions) {
    const Instruction& at = *pointer;
    const std::uint32_t count = leaves.count(at.type);
    first.push_back(next);
    next += count;
    for (std::uint32_t leaf = 0; leaf < count; ++leaf) {
      const std::span<std::uint64_t> row = of[first.back() + leaf];
      if (leaves.type(at.type, leaf).is_token()) continue;
      if (at.opcode == Opcode::parameter) {
        set_bit(row, out.parameter_start[static_cast<std::size_t>(at.parameter_number)] + leaf);
        continue;
      }
      for_each_dependence(at, leaf, [&](std::size_t operand, std::uint32_t array) {
        const Operand& from = at.operands[operand];
        unite(row, of[first[from.instruction->index] + leaves.first(from) + array]);
      });
    }
  }
  out.rows = detail::BitRows(leaves.count(computation.root->type), columns);
  for (std::uint32_t leaf = 0; leaf < out.rows.size(); ++leaf)
    unite(out.rows[leaf], of[first[computation.root->index] + leaf]);
  return dependence_memo.emplace(&computation, std::move(out)).first->second;
}

const detail::Dependences& ProgramIndexing::Impl::loop_dependences(const Instruction& loop) {
  if (const auto found = loop_memo.find(&loop); found != loop_memo.end()) return found->second;
  const std::uint32_t count = leaves.count(loop.type);
  detail::Dependences out{.parameter_start = {0, count}, .rows = {}, .everything = true};
  const Computation* body = called_as(loop, "body");
  const Computation* condition = called_as(loop, "condition");
  if (body != nullptr && condition != nullptr) {
    const detail::Dependences& step = dependences(*body);
    const detail::Dependences& test = dependences(*condition);
    const bool one_state = !step.everything && !test.everything && step.rows.size() == count &&
                           test.rows.size() == 1 && step.parameter_start.size() == 2 &&
                           step.parameter_start[1] == count && test.parameter_start.size() == 2 &&
                           test.parameter_start[1] == count;
    if (one_state) {
      out.everything = false;
      out.rows = detail::BitRows(count, count);
      for (std::uint32_t leaf = 0; leaf < count; ++leaf) {
        const std::span<std::uint64_t> row = out.rows[leaf];
        set_bit(row, leaf);
        if (!handed_through(loop, leaf)) {
          // Follows what the condition reads, and what the body reads for these arrays, through any number of
          // iterations.
          std::vector<std::uint32_t> waiting{leaf};
          const auto reached = [&](const detail::Dependences& by, std::uint32_t from) {
            for (std::size_t w = 0; w < row.size(); ++w) {
              std::uint64_t fresh = by.rows[from][w] & ~row[w];
              row[w] |= fresh;
              for (; fresh != 0; fresh &= fresh - 1) {
                waiting.push_back(static_cast<std::uint32_t>(w * 64) +
                                  static_cast<std::uint32_t>(std::countr_zero(fresh)));
              }
            }
          };
          reached(test, 0);
          while (!waiting.empty()) {
            const std::uint32_t from = waiting.back();
            waiting.pop_back();
            reached(step, from);
          }
        }
      }
    }
  }
  return loop_memo.emplace(&loop, std::move(out)).first->second;
}

}  // namespace tessera
