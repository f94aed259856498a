// SPDX-License-Identifier: Apache-2.0
#include "hlo/ops/reducer.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/index_walk.h"
#include "hlo/check/types.h"
#include "hlo/ops/reshape.h"
#include "hlo/syntax/attributes.h"

namespace tessera::detail {

using Parameters = std::uint64_t;  // bit i: parameter i

std::vector<Parameters> parameter_uses(const Computation& function) {
  std::vector<Parameters> used(function.instructions.size(), 0);
  for (const auto& instruction : function.instructions) {
    Parameters& mine = used[instruction->index];
    if (instruction->opcode == Opcode::parameter && instruction->parameter_number >= 0 &&
        instruction->parameter_number < 64) {
      mine = Parameters{1} << instruction->parameter_number;
    }
    for (const Operand& operand : instruction->operands) {
      if (operand.instruction != nullptr) mine |= used[operand.instruction->index];
    }
  }
  return used;
}

bool flow_is_known(const Computation* function) {
  return function != nullptr && function->root != nullptr &&
         std::ranges::all_of(function->instructions, [](const auto& op) { return op->sound; });
}

ReducerUse reducer_use(const Computation* function, const ReducedValue& value) {
  const auto [count, output, input] = value;
  ReducerUse unclear{.may_running = true, .may_fresh = true};
  if (!flow_is_known(function) || count > 32 || function->parameters.size() != 2 * count) return unclear;
  const Instruction& root = *function->root;
  const bool tuple = root.opcode == Opcode::tuple;
  if ((tuple ? root.operands.size() : 1) != count) return unclear;
  const std::vector<Parameters> used = parameter_uses(*function);
  const Parameters running_values = (Parameters{1} << count) - 1;
  const auto of_output = [&](std::size_t k) {
    return used[(tuple ? *root.operands[k].instruction : root).index];
  };
  const auto has = [](Parameters set, std::size_t i) { return ((set >> i) & 1) != 0; };

  // The running values that reach the output through any number of applications.
  Parameters reached = Parameters{1} << output;
  Parameters todo = reached;
  Parameters all = 0;
  while (todo != 0) {
    const auto k = static_cast<std::size_t>(std::countr_zero(todo));
    todo &= todo - 1;
    const Parameters from = of_output(k);
    all |= from;
    todo |= from & running_values & ~reached;
    reached |= from & running_values;
  }
  // The running values that reach the output if a new value may also become a running value of another
  // application.
  Parameters mixed = Parameters{1} << output;
  for (Parameters next = mixed; next != 0;) {
    const auto k = static_cast<std::size_t>(std::countr_zero(next));
    next &= next - 1;
    const Parameters from = (of_output(k) | of_output(k) >> count) & running_values;
    next |= from & ~mixed;
    mixed |= from;
  }
  const Parameters direct = of_output(output);
  const bool lasts = has(direct, output);  // later applications use the running value
  return {.may_running = has(all, input),
          .may_fresh = has(all, count + input),
          .running = lasts && has(direct, input),
          .fresh = lasts && has(direct, count + input),
          .once = has(direct, count + input),
          .may = has(mixed, input)};
}

Problem check_inputs_and_inits(const OpReader& reader) {
  const std::size_t count = reader.operand_count();
  if (count == 0 || count % 2 != 0) {
    return reader.wrong(Code::operand_count,
                        fmt::format("{} needs as many initial values as inputs, but it has {} in all",
                                    reader.instruction().opcode_text, plural(count, "operand")),
                        reader.instruction().opcode_span,
                        fmt::format("the form is {0}(a, init), or {0}(a, b, init_a, init_b)",
                                    reader.instruction().opcode_text));
  }
  TESSERA_RULE(reader.operands_are_arrays());
  const std::size_t inputs = count / 2;
  for (std::size_t i = 1; i < inputs; ++i)
    TESSERA_RULE(reader.operand_dims_are(i, reader.dims(0), "operand 0 has"));
  for (std::size_t i = 0; i < inputs; ++i) {
    TESSERA_RULE(reader.operand_is_scalar(inputs + i, fmt::format("initial value {}", i)));
    if (!same_element_type(reader.dtype(i), reader.dtype(inputs + i))) {
      return reader.wrong_operand(
          Code::shape_mismatch, inputs + i,
          fmt::format("initial value {} has elements of {}, but its input has elements of {}", i,
                      to_string(reader.dtype(inputs + i)), to_string(reader.dtype(i))));
    }
  }
  return std::nullopt;
}

Problem gives_for_each_input(const OpReader& reader, std::size_t inputs, const std::vector<Index>& dims) {
  if (inputs == 1) return reader.gives(reader.dtype(0), dims);
  std::vector<HloType> types;
  for (std::size_t i = 0; i < inputs; ++i)
    types.emplace_back(TensorType{.dtype = reader.dtype(i), .dims = dims});
  return reader.gives(HloType::tuple(std::move(types)));
}

Indexing mixed_by_reducer(const OpQuery& q, const Computation* function, Indexing indexing) {
  const std::size_t count = q.op.operands.size() / 2;
  const std::size_t input = q.operand % count;
  const ReducerUse use = reducer_use(function, {.count = count, .output = q.output, .input = input});
  // Over empty inputs the result is the initial value.
  const bool stays = q.operand >= count && input == q.output && element_count(q.dims_of(0)) == 0;
  if (stays || (q.operand < count ? use.fresh : use.running)) return indexing;
  return as_superset(std::move(indexing),
                     use.may ? "the reduction's function may not use this operand for this output"
                             : "the reduction's function does not use this operand for this output");
}

}  // namespace tessera::detail
