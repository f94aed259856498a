// SPDX-License-Identifier: Apache-2.0
#include "hlo/syntax/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ostream>

#include "hlo/syntax/attribute_keys.h"
#include "hlo/syntax/lexer.h"
#include "tessera/notation/tensor_type.h"

namespace tessera {
namespace {

using detail::AttributeForm;

// These common attributes come after those of the opcode, in this order.
constexpr std::string_view kLast[] = {"sharding", "frontend_attributes", "metadata", "backend_config"};

void append_name(std::string& out, std::string_view name) {
  out += '%';
  out += name;
}

void append_attribute(std::string& out, const Attribute& attribute) {
  out += ", ";
  out += attribute.key;
  out += '=';
  const AttributeForm form = detail::attribute_form(attribute.key);
  if (form != AttributeForm::computation && form != AttributeForm::names) {
    out += attribute.value;
    return;
  }
  const auto names = detail::listed_names(attribute.value);
  const bool braces = attribute.value.starts_with('{');
  if (braces) out += '{';
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += ", ";
    append_name(out, names[i]);
  }
  if (braces) out += '}';
}

void append_operands(std::string& out, const Instruction& instruction) {
  out += '(';
  if (instruction.opcode == Opcode::constant) {
    out += instruction.literal;
  } else if (instruction.opcode == Opcode::parameter) {
    fmt::format_to(std::back_inserter(out), "{}", instruction.parameter_number);
  }
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    if (i > 0) out += ", ";
    if (i > 0 && i % 5 == 0) fmt::format_to(std::back_inserter(out), "/*index={}*/", i);
    const Operand& operand = instruction.operands[i];
    append_name(out, operand.instruction->name);
    if (operand.tuple_index >= 0) fmt::format_to(std::back_inserter(out), "#{}", operand.tuple_index);
    for (const TupleStep* step = operand.inner; step != nullptr; step = step->next) {
      fmt::format_to(std::back_inserter(out), "#{}", step->index);
    }
  }
  out += ')';
}

void append_instruction(std::string& out, const Instruction& instruction) {
  if (instruction.is_root) out += "ROOT ";
  append_name(out, instruction.name);
  out += " = ";
  if (instruction.unread_type.empty()) {
    append(out, instruction.type);
  } else {
    out += instruction.unread_type;
  }
  out += ' ';
  out += instruction.opcode_text;
  append_operands(out, instruction);
  const auto is_last = [](const Attribute& a) { return std::ranges::find(kLast, a.key) != std::end(kLast); };
  for (const Attribute& attribute : instruction.attributes) {
    if (!is_last(attribute)) append_attribute(out, attribute);
  }
  for (const std::string_view key : kLast) {
    if (const Attribute* attribute = instruction.attribute(key)) append_attribute(out, *attribute);
  }
}

void append_signature(std::string& out, const Computation& computation) {
  // A text with errors may lack parameters or all instructions.
  if (computation.root == nullptr) return;
  if (std::ranges::find(computation.parameters, nullptr) != computation.parameters.end()) return;
  out += " (";
  for (std::size_t i = 0; i < computation.parameters.size(); ++i) {
    if (i > 0) out += ", ";
    out += computation.parameters[i]->name;
    out += ": ";
    append(out, computation.parameters[i]->type, false);
  }
  out += ") -> ";
  append(out, computation.root->type, false);
}

void append_computation(std::string& out, const Computation& computation) {
  if (computation.is_entry) out += "ENTRY ";
  append_name(out, computation.name);
  append_signature(out, computation);
  out += " {\n";
  for (const auto& instruction : computation.instructions) {
    out += "  ";
    append_instruction(out, *instruction);
    out += '\n';
  }
  out += '}';
  if (!computation.execution_thread.empty()) {
    out += ", execution_thread=";
    out += computation.execution_thread;
  }
  out += '\n';
}

void append_module(std::string& out, const HloModule& module) {
  if (!module.name.empty()) {
    out += "HloModule ";
    if (detail::is_reserved(module.name)) out += '%';
    out += module.name;
    for (const Attribute& attribute : module.attributes) {
      out += ", ";
      out += attribute.key;
      out += '=';
      out += attribute.value;
    }
    out += "\n\n";
  }
  if (!module.stack_tables.empty()) {
    out += module.stack_tables;
    out += "\n\n";
  }
  for (std::size_t i = 0; i < module.computations.size(); ++i) {
    if (i > 0) out += '\n';
    append_computation(out, *module.computations[i]);
  }
}

}  // namespace

std::string to_string(const Instruction& instruction) {
  std::string out;
  append_instruction(out, instruction);
  return out;
}

std::string to_string(const HloModule& module) {
  std::string out;
  append_module(out, module);
  return out;
}

std::string type_text(const Instruction& instruction) {
  return instruction.unread_type.empty() ? to_string(instruction.type) : std::string(instruction.unread_type);
}

std::string to_string(std::span<const HloModule> modules) {
  std::string out;
  for (const HloModule& module : modules) {
    if (!out.empty()) out += "\n// -----\n\n";
    append_module(out, module);
  }
  return out;
}

std::ostream& operator<<(std::ostream& out, const HloModule& module) { return out << to_string(module); }

}  // namespace tessera
