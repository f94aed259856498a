// SPDX-License-Identifier: Apache-2.0
#include "cli/hlo_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "hlo/analysis/parameter_elements.h"
#include "report/exit_status.h"
#include "report/parameters_answer.h"
#include "text/point.h"

namespace tessera::cli {
namespace {

// A setting `rt0=20`.
struct Setting {
  std::string name;
  Index value = 0;
};

Result<Setting> read_setting(const std::string& text) {
  const std::size_t equals = text.find('=');
  Setting out;
  if (equals != std::string::npos && equals > 0) {
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + equals + 1, end, out.value);
    out.name = text.substr(0, equals);
    if (error == std::errc() && stop == end) return out;
  }
  return fail(Code::bad_option, fmt::format("'{}' is not NAME=INTEGER", text), {}, "--set rt0=20");
}

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

// Why there is no answer for an instruction: the option that it concerns, or the value of --set.
struct NoAnswer {
  Diagnostic diagnostic;
  const char* option = nullptr;
  std::string setting = {};
};

std::optional<NoAnswer> ask(const HloOptions& options, ProgramIndexing& program, const HloModule& module,
                            const Computation& top, const Instruction& op, ParametersAnswer& answer) {
  auto callers = callers_between(module, top, op);
  if (!callers) return NoAnswer{std::move(callers).error(), "--op"};
  auto reads = parameter_reads(program, op, *callers);
  if (!reads) return NoAnswer{std::move(reads).error(), "--op"};
  answer.reads = *std::move(reads);
  for (const std::string& text : options.set) {
    const auto setting = read_setting(text);
    if (!setting) return NoAnswer{setting.error(), nullptr, text};
    if (auto done = set_runtime(answer.reads, setting->name, setting->value); !done)
      return NoAnswer{std::move(done).error(), nullptr, text};
  }
  if (!options.at) return std::nullopt;
  const auto index = parse_point(*options.at);
  if (!index) return NoAnswer{index.error(), "--at"};
  answer.output = static_cast<std::uint32_t>(options.leaf);
  auto elements = elements_at(answer.reads, answer.output, *index);
  if (!elements) return NoAnswer{std::move(elements).error(), answer.output == 0 ? "--at" : "--leaf"};
  answer.at = *index;
  answer.elements = *std::move(elements);
  return std::nullopt;
}

}  // namespace

int write_parameters(Session& session, const HloOptions& options, const AnalyzeOptions& chosen,
                     const InstructionPlace& place, const HloModule& module, Output& out, Format format) {
  const Computation* const top = options.computation.empty() ? module.entry : module.find(chosen.computation);
  if (top == nullptr || top->root == nullptr) return kDone;
  ProgramIndexing program;
  int status = kDone;
  bool first = true;
  for (const Instruction* op : chosen_instructions(chosen, module, *top)) {
    ParametersAnswer answer;
    if (auto none = ask(options, program, module, *top, *op, answer)) {
      status = std::max<int>(status, status_of(none->diagnostic));
      if (none->option != nullptr) {
        session.report_option(std::move(none->diagnostic), none->option);
      } else {
        session.report_argument(std::move(none->diagnostic), none->setting);
      }
      continue;
    }
    if (format == Format::text && !first) out.write("\n");
    first = false;
    out.write(format == Format::json ? to_json(place, answer) : to_text(answer));
  }
  return status;
}

bool check_parameters(Session& session, const HloOptions& options) {
  for (const std::string& text : options.set) {
    if (const auto setting = read_setting(text); !setting) {
      session.report_argument(setting.error(), text);
      return false;
    }
  }
  if (!options.at) return true;
  const auto index = parse_point(*options.at);
  if (index) return true;
  session.report_option(index.error(), "--at");
  return false;
}

}  // namespace tessera::cli
