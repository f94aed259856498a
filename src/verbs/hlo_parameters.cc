// SPDX-License-Identifier: Apache-2.0
#include "verbs/hlo_parameters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "hlo/analysis/parameter_elements.h"
#include "report/parameters_answer.h"

namespace tessera::verbs {
namespace {

// The instructions that the options choose. An opcode may have many: if the computation itself has some, only
// those.
std::vector<const Instruction*> chosen_instructions(const AnalyzeOptions& chosen, const HloModule& module,
                                                    const Computation& top) {
  if (chosen.op.empty()) return {top.root};
  std::vector<const Instruction*> here;
  std::vector<const Instruction*> elsewhere;
  for (const auto& computation : module.computations) {
    if (!chosen.computation.empty() && computation->name != chosen.computation) continue;
    for (const auto& instruction : computation->instructions) {
      if (instruction->name != chosen.op && instruction->opcode_text != chosen.op) continue;
      (computation.get() == &top ? here : elsewhere).push_back(instruction.get());
    }
  }
  return here.empty() ? elsewhere : here;
}

Result<ParametersAnswer> ask(const HloRequest& request, ProgramIndexing& program, const HloModule& module,
                             const Computation& top, const Instruction& op) {
  ParametersAnswer answer;
  auto callers = callers_between(module, top, op);
  if (!callers) return refuse("op", std::move(callers.error()));
  auto reads = parameter_reads(program, op, *callers);
  if (!reads) return refuse("op", std::move(reads.error()));
  answer.reads = *std::move(reads);
  for (std::size_t i = 0; i < request.set.size(); ++i) {
    const RuntimeSetting& setting = request.set[i];
    if (auto done = set_runtime(answer.reads, setting.name, setting.value); !done) {
      done.error().item = static_cast<std::uint32_t>(i);
      return refuse("set", std::move(done.error()));
    }
  }
  if (auto done = narrow_by_values(program, answer.reads, *callers); !done)
    return refuse("op", std::move(done.error()));
  if (!request.at) return answer;
  answer.output = static_cast<std::uint32_t>(request.leaf);
  auto elements = elements_at(answer.reads, answer.output, request.at->values);
  if (!elements) return refuse(answer.output == 0 ? "at" : "leaf", std::move(elements.error()));
  answer.at = request.at->values;
  answer.elements = *std::move(elements);
  return answer;
}

// The value of the field that an error is about.
std::string value_of(const HloRequest& request, const Diagnostic& error) {
  if (error.field == "op") return request.op.text;
  if (error.field == "leaf") return std::to_string(request.leaf);
  if (error.field == "at") return fmt::format("{}", fmt::join(request.at->values, ","));
  const RuntimeSetting& setting = request.set[error.item];
  return fmt::format("{}={}", setting.name, setting.value);
}

}  // namespace

void add_parameters(const HloRequest& request, const AnalyzeOptions& chosen, const PartPlace& where,
                    const HloModule& module, HloResult& result, Observer& observer) {
  const Computation* const top = request.computation.empty() ? module.entry : module.find(chosen.computation);
  if (top == nullptr || top->root == nullptr) return;
  ProgramIndexing program;
  bool first = true;
  for (const Instruction* op : chosen_instructions(chosen, module, *top)) {
    auto answer = ask(request, program, module, *top, *op);
    if (!answer) {
      const std::string value = value_of(request, answer.error());
      result.refuse_part(std::move(answer.error()), value, observer);
      continue;
    }
    const auto shared = std::make_shared<const ParametersAnswer>(*std::move(answer));
    const std::string_view separator = first ? "" : "\n";
    first = false;
    result.add(std::make_unique<ModulePart>(
                   where, [shared, separator] { return std::string(separator) + to_text(*shared); },
                   [shared, where] { return to_json(where.place(), *shared); }),
               observer);
  }
}

}  // namespace tessera::verbs
