// SPDX-License-Identifier: Apache-2.0
/// \file
/// Laws for every HLO text. Example tests, random tests and the fuzzer call the same functions.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "hlo/syntax/printer.h"
#include "tessera/hlo/analyze.h"
#include "tessera/hlo/module.h"

namespace tessera {

/// Each function returns the problem, or an empty text if there is none.

/// Parsing gives modules whose parts are consistent, or an error. Every diagnostic points into the text.
inline std::string check_parsed(const ParsedModules& parsed) {
  if (parsed.modules.empty() && parsed.ok()) return "neither a module nor an error";
  const std::size_t size = parsed.source->text().size();
  for (const Diagnostic& diagnostic : parsed.diagnostics) {
    if (diagnostic.span.begin > diagnostic.span.end || diagnostic.span.end > size) {
      return "a diagnostic points outside the text: " + to_string(diagnostic);
    }
    if (diagnostic.message.empty() || diagnostic.message.find('\n') != std::string::npos) {
      return "a message has several lines or none: '" + diagnostic.message + "'";
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

/// For every text without errors, parse -> print -> parse gives the same module, and printing again gives the
/// same text.
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
    return "printing again gives another text\n" + text;
  return {};
}

/// Every parsed program can be indexed, even if it has invalid instructions: each instruction gets an answer,
/// and the maps lead from indices of one side to indices of the other. A map of the wrong rank would belong
/// to a different array than its name says.
inline std::string check_indexed(const HloModule& module, IndexingDirection direction) {
  // Array number `leaf` of a type, without enclosing buffers; null if there is none.
  const auto array_of = [](auto&& self, const HloType& type, std::size_t& leaf) -> const HloType* {
    if (!type.is_tuple() && type.kind() != HloType::Kind::buffer) return leaf-- == 0 ? &type : nullptr;
    for (const HloType& element : type.elements()) {
      if (const HloType* const found = self(self, element, leaf)) return found;
    }
    return nullptr;
  };
  const bool to_input = direction == IndexingDirection::output_to_input;
  std::string broken;
  const auto check = [&](const Instruction& instruction, const PairIndexing& pair, const Indexing& x) {
    const std::string where = std::string(instruction.name) + ": " + to_string(x.map);
    std::size_t output = pair.output;
    std::size_t element = static_cast<std::size_t>(std::max(x.leaf, 0));
    const HloType* const out = array_of(array_of, instruction.type, output);
    const HloType* const in = array_of(array_of, instruction.operand_type(pair.operand), element);
    if (out == nullptr || in == nullptr) return "no such array: " + where;
    const HloType& from = to_input ? *out : *in;
    const HloType& to = to_input ? *in : *out;
    // Tokens and similar types have no indices.
    if (from.is_array() && x.map.dim_count() != from.rank()) return "starts at another array: " + where;
    if (to.is_array() && !x.map.known_empty() && x.map.results().size() != to.rank())
      return "leads to another array: " + where;
    if (x.runtime.size() != x.map.runtime_count()) return "values of other variables: " + where;
    return std::string();
  };
  const AnalyzeStats stats = analyze(module, {.direction = direction}, [&](InstructionIndexing&& one) {
    for (const PairIndexing& pair : one.pairs) {
      for (const Indexing& x : pair.maps) {
        if (x.exactness == Exactness::unknown) {
          if (x.reason.empty()) broken = std::string(one.instruction->name) + ": unknown, and no reason";
        } else if (auto wrong = check(*one.instruction, pair, x); !wrong.empty()) {
          broken = std::move(wrong);
        }
      }
    }
  });
  if (stats.exact + stats.superset + stats.unknown != stats.analyzed) return "an answer that is not counted";
  return broken;
}

}  // namespace tessera
