// SPDX-License-Identifier: Apache-2.0
/// \file
/// What holds for every HLO text; example tests, random tests and the fuzzer call the same functions.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tessera/hlo/parser.h"
#include "tessera/hlo/printer.h"

namespace tessera {

/// Each function gives what is broken, or an empty text.

/// Reading ends with modules whose parts fit together, or with an error; every diagnostic points into the
/// text.
inline std::string check_parsed(const ParsedModules& parsed) {
  if (parsed.modules.empty() && parsed.ok()) return "neither a module nor an error";
  const std::size_t size = parsed.source->text().size();
  for (const Diagnostic& diagnostic : parsed.diagnostics) {
    if (diagnostic.span.begin > diagnostic.span.end || diagnostic.span.end > size) {
      return "a diagnostic points outside the text: " + to_string(diagnostic);
    }
    if (diagnostic.message.empty() || diagnostic.message.find('\n') != std::string::npos) {
      return "a message is no line: '" + diagnostic.message + "'";
    }
    if (render(diagnostic, *parsed.source).empty()) return "a diagnostic cannot be shown";
  }
  for (const HloModule& module : parsed.modules) {
    if (module.computations.empty() || module.entry == nullptr) return "a module without an entry";
    for (const auto& computation : module.computations) {
      if (module.find(computation->name) == nullptr) return "a computation that its name does not find";
      if (computation->root == nullptr && !computation->instructions.empty())
        return "a computation without a root";
      for (std::uint32_t i = 0; i < computation->instructions.size(); ++i) {
        const Instruction& instruction = *computation->instructions[i];
        if (instruction.index != i || instruction.parent != computation.get())
          return "an instruction out of place";
        if (instruction.name.empty()) return "an instruction without a name";
        for (const Operand& operand : instruction.operands) {
          if (operand.instruction->parent != computation.get() || operand.instruction->index >= i) {
            return "an operand that does not come before its user";
          }
        }
      }
    }
  }
  return {};
}

/// parse -> print -> parse is the identity for every text without errors, and printing is a fixed point of
/// it.
inline std::string check_round_trip(const ParsedModules& parsed) {
  if (!parsed.ok()) return {};
  const std::string text = to_string(std::span<const HloModule>(parsed.modules));
  const ParsedModules again = parse_hlo(text);
  if (!again.ok()) return "the printed text has an error: " + to_string(again.diagnostics[0]) + "\n" + text;
  if (again.modules.size() != parsed.modules.size())
    return "the printed text has another number of modules\n" + text;
  for (std::size_t i = 0; i < parsed.modules.size(); ++i) {
    if (!equal(parsed.modules[i], again.modules[i]))
      return "the printed module reads as another one\n" + text;
  }
  if (to_string(std::span<const HloModule>(again.modules)) != text)
    return "printing is no fixed point\n" + text;
  return {};
}

}  // namespace tessera
