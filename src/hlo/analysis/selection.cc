// SPDX-License-Identifier: Apache-2.0
#include "hlo/analysis/selection.h"

#include <fmt/core.h>

#include <string>

#include "hlo/syntax/spelling.h"

namespace tessera {
namespace {

std::string_view without_percent(std::string_view name) {
  if (name.starts_with('%')) name.remove_prefix(1);
  return name;
}

std::string did_you_mean(std::string_view near) {
  return near.empty() ? std::string() : fmt::format("did you mean '{}'?", near);
}

Failure nothing_typed() { return fail(Code::bad_option, "the name is empty"); }

// The help for an unknown name: a similar name, or the computation that has an instruction of this name.
std::string way_out(std::string_view op, const std::string& computation, std::span<const HloModule> modules) {
  detail::Nearest nearest(op);
  const Computation* elsewhere = nullptr;
  for (const HloModule& module : modules) {
    for (const auto& one : module.computations) {
      const bool looked_at = computation.empty() || one->name == computation;
      for (const auto& instruction : one->instructions) {
        if (looked_at) {
          nearest.offer(instruction->name);
          nearest.offer(instruction->opcode_text);
        } else if (elsewhere == nullptr && (instruction->name == op || instruction->opcode_text == op)) {
          elsewhere = one.get();
        }
      }
    }
  }
  if (elsewhere != nullptr) return fmt::format("it is in computation '{}'", elsewhere->name);
  return did_you_mean(nearest.found());
}

}  // namespace

Result<void> choose_computation(AnalyzeOptions& options, std::string_view typed,
                                std::span<const HloModule> modules) {
  const std::string_view name = without_percent(typed);
  if (name.empty()) return nothing_typed();
  detail::Nearest nearest(name);
  for (const HloModule& module : modules) {
    if (module.find(name) != nullptr) {
      options.computation = name;
      return {};
    }
    for (const auto& computation : module.computations) nearest.offer(computation->name);
  }
  return fail({.code = Code::unknown_name,
               .message = fmt::format("unknown computation '{}'", name),
               .help = did_you_mean(nearest.found())});
}

Result<void> choose_op(AnalyzeOptions& options, std::string_view typed, std::span<const HloModule> modules) {
  std::string_view op = without_percent(typed);
  if (const auto slash = op.find('/'); slash != std::string_view::npos) {
    const std::string_view computation = op.substr(0, slash);
    if (!options.computation.empty() && options.computation != computation) {
      return fail(Code::unknown_name, fmt::format("computation '{}' has no '{}'", options.computation, op),
                  {}, "name the computation only once");
    }
    if (auto known = choose_computation(options, computation, modules); !known) return known;
    op = without_percent(op.substr(slash + 1));
  }
  if (op.empty()) return nothing_typed();
  for (const HloModule& module : modules) {
    for (const auto& computation : module.computations) {
      if (!options.computation.empty() && computation->name != options.computation) continue;
      for (const auto& instruction : computation->instructions) {
        if (instruction->name != op && instruction->opcode_text != op) continue;
        options.op = op;
        return {};
      }
    }
  }
  return fail({.code = Code::unknown_name,
               .message = fmt::format("unknown instruction or opcode '{1}'{0}",
                                      options.computation.empty()
                                          ? std::string()
                                          : fmt::format(" in computation '{}'", options.computation),
                                      op),
               .help = way_out(op, options.computation, modules)});
}

}  // namespace tessera
