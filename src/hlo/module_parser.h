// SPDX-License-Identifier: Apache-2.0
/// \file
/// The reader of one module: a recursive descent with recovery at the next instruction.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hlo/attribute_keys.h"
#include "hlo/lexer.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/parser.h"

namespace tessera::detail {

/// Collects diagnostics up to a number, and counts the others.
class DiagnosticSink {
 public:
  explicit DiagnosticSink(std::size_t limit) : limit_(limit) {}
  void add(Diagnostic diagnostic);
  std::size_t errors() const { return errors_; }
  /// In the order of their places, one error a place, with a note on the ones left out.
  std::vector<Diagnostic> take();

 private:
  std::size_t limit_;
  std::size_t errors_ = 0;
  std::size_t left_out_ = 0;
  std::vector<Diagnostic> list_;
};

class ModuleParser {
 public:
  /// Reads from byte `begin` up to `end` of the source.
  ModuleParser(const std::shared_ptr<const Source>& source, std::size_t begin, std::size_t end,
               DiagnosticSink& sink);

  /// Only blanks and comments are left.
  bool done();
  /// The next module; stops in front of the next `HloModule`. Always moves forward.
  HloModule parse();

 private:
  // A computation written in place, and the attribute that waits for its name.
  struct Anonymous {
    Instruction* user;
    std::size_t attribute;
    Computation* computation;
  };

  // parser.cc: the module and its computations
  void parse_header();
  void parse_stack_tables();
  bool at_header() { return lexer_.skip() && at_word("HloModule"); }
  bool at_word(std::string_view word) const;
  void parse_computation();
  void parse_bare_list();
  void parse_body(Computation& computation, bool braces);
  bool parse_signature(std::vector<std::pair<HloType, Span>>& parameters, HloType& result, Span& result_span);
  void check_signature(const Computation& computation,
                       const std::vector<std::pair<HloType, Span>>& parameters, const HloType& result,
                       Span result_span);
  void finish(Computation& computation);
  void finish_module();
  DeviceCounts device_counts() const;
  const Attribute* unclosed_value(const Computation& computation, bool& before_instruction) const;
  void report_open(Computation& computation, std::size_t open);
  bool recover_in_body();
  void recover_between();

  // instruction_parser.cc
  bool parse_instruction(Computation& computation);
  bool parse_line(Instruction& instruction, Computation& computation);
  bool parse_operation(Instruction& instruction, Computation& computation, bool has_type);
  bool at_type();
  bool parse_type(HloType& out);
  bool skip_unread_type(Instruction& instruction, std::size_t from);
  bool parse_opcode_word(Instruction& instruction);
  bool parse_operands(Instruction& instruction, Computation& computation);
  bool parse_operand(Instruction& instruction, Computation& computation);
  bool parse_nested(Instruction& instruction, Computation& computation, std::optional<HloType> type,
                    std::size_t begin);
  bool parse_reference(Instruction& instruction, Computation& computation, const HloType* written,
                       Span written_span);
  bool find_part(Instruction& instruction, Operand& operand, std::span<const Index> path);
  bool parse_literal(Instruction& instruction, bool has_type);
  bool parse_parameter_number(Instruction& instruction);
  bool parse_attributes(Instruction& instruction, Computation& computation);
  bool parse_attribute(Instruction& instruction, Computation& computation);
  bool parse_computation_value(Instruction& instruction);
  bool parse_computation_name(Instruction& instruction);
  bool parse_anonymous_computation(Instruction& instruction);
  bool at_anonymous_body();
  bool skip_value(AttributeForm form);
  bool skip_string_map();
  bool skip_metadata();
  void check_metadata_field(std::string_view field, std::size_t begin);
  bool skip_plain_value();
  bool check_predecessors(Instruction& instruction, Computation& computation, Span value);
  bool parse_name(std::string_view& name, Span& span, std::string_view what);
  void check_type(Instruction& instruction, Span span);
  void add_instruction(std::unique_ptr<Instruction> instruction, Computation& computation);

  void report(Code code, std::string message, Span span, std::string help = {},
              std::vector<std::string> notes = {});
  /// Hands the lexer's error to the sink.
  void report_lexer_error();
  void broken(Instruction& instruction, Code code, std::string message, Span span, std::string help = {});
  Span span_from(std::size_t begin) const;
  std::string_view keep(std::string text);

  Lexer lexer_;
  std::shared_ptr<const Source> source_;
  std::string_view text_;  // of the source up to the end of what is read
  DiagnosticSink& sink_;
  HloModule module_;
  std::vector<Anonymous> anonymous_;
  std::set<std::string_view> reserved_;  // words of the language that stood as names, each reported once
  int depth_ = 0;
  bool at_computation_ = false;  // where an instruction should begin, another computation does
};

}  // namespace tessera::detail
