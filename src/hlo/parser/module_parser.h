// SPDX-License-Identifier: Apache-2.0
/// \file
/// Recursive descent over one module, with recovery at the next instruction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hlo/parser/type_texts.h"
#include "hlo/syntax/attribute_keys.h"
#include "hlo/syntax/diagnostic_sink.h"
#include "hlo/syntax/lexer.h"
#include "tessera/hlo/module.h"

namespace tessera::detail {

/// Parses the modules of one text.
class ModuleParser {
 public:
  /// Reads from byte `begin` up to `end` of the source.
  ModuleParser(const std::shared_ptr<const Source>& source, std::size_t begin, std::size_t end,
               DiagnosticSink& sink);

  /// Whether only blanks and comments are left.
  bool done();
  /// The next module; stops before the next `HloModule`. Always moves forward.
  HloModule parse();
  /// Whether the text ended inside the module's entry computation.
  bool entry_is_cut() const { return entry_is_cut_; }

 private:
  // A computation written in place, and the attribute that refers to it.
  struct Anonymous {
    Instruction* user;
    std::size_t attribute;
    Computation* computation;
  };

  // module_parser.cc: the header, the tables, names
  void parse_header();
  void parse_stack_tables();
  bool at_header() { return lexer_.skip() && at_word("HloModule"); }
  bool at_word(std::string_view word) const;
  /// `only_name`: only a name is possible here, so that a keyword is reported and becomes the name.
  bool parse_name(std::string_view& name, Span& span, std::string_view what, bool only_name = false);
  DeviceCounts device_counts() const;
  void finish_module();

  // computation_parser.cc
  void parse_computation();
  void parse_bare_list();
  void parse_body(Computation& computation, bool braces);
  bool parse_signature(std::vector<std::pair<HloType, Span>>& parameters, HloType& result, Span& result_span);
  void check_signature(const Computation& computation,
                       const std::vector<std::pair<HloType, Span>>& parameters, const HloType& result,
                       Span result_span);
  void finish(Computation& computation);

  // recovery.cc
  bool recover_in_body();
  std::optional<std::size_t> closing_brace(std::size_t begin);
  bool skip_open_value(std::size_t open);
  void recover_between();
  const Attribute* unclosed_value(const Computation& computation, bool& before_instruction) const;
  void report_open(Computation& computation, std::size_t open);

  // instruction_parser.cc: the line up to the operands
  bool parse_instruction(Computation& computation);
  bool parse_line(Instruction& instruction, Computation& computation);
  bool at_type();
  /// `valid`: receives whether the type is known to be valid.
  bool parse_type(HloType& out, bool* valid = nullptr);
  void check_type(Instruction& instruction, Span span);
  bool skip_unread_type(Instruction& instruction, std::size_t from);
  bool parse_operation(Instruction& instruction, Computation& computation, bool has_type);
  bool parse_opcode_word(Instruction& instruction);
  bool parse_parameter_number(Instruction& instruction);
  bool parse_literal(Instruction& instruction, bool has_type);
  void infer_type(Instruction& instruction);
  void add_instruction(std::unique_ptr<Instruction> instruction, Computation& computation);

  // operand_parser.cc
  bool parse_operands(Instruction& instruction, Computation& computation);
  bool parse_operand(Instruction& instruction, Computation& computation);
  bool parse_nested(Instruction& instruction, Computation& computation, std::optional<HloType> type,
                    std::size_t begin);
  bool parse_reference(Instruction& instruction, Computation& computation, const HloType* written,
                       Span written_span);
  bool find_part(Instruction& instruction, Operand& operand, std::span<const Index> path);
  /// Records an operand with an unknown name, so that the others keep their numbers.
  static void lose_operand(const Instruction& instruction, Computation& computation, std::string_view name);

  // attribute_parser.cc: keys, and values that name instructions and computations
  bool skip_missing_comma(Instruction& instruction);
  bool parse_attributes(Instruction& instruction, Computation& computation);
  bool parse_attribute(Instruction& instruction, Computation& computation);
  bool check_predecessors(Instruction& instruction, Computation& computation, Span value);
  bool parse_computation_value(Instruction& instruction);
  bool parse_computation_name(Instruction& instruction);
  bool parse_anonymous_computation(Instruction& instruction);
  void add_call(Instruction& instruction, Computation& called, Span span);

  // attribute_values.cc: where the other values end
  bool skip_value(AttributeForm form);
  bool skip_plain_value();
  bool skip_string_map();
  bool skip_metadata();
  void report_metadata(std::string_view field, bool number, std::size_t begin);

  void report(Code code, std::string message, Span span, std::string help = {},
              std::vector<std::string> notes = {});
  /// Passes the lexer's error to the sink.
  void report_lexer_error();
  /// Reports, and marks the instruction as broken.
  void broken(Instruction& instruction, Code code, std::string message, Span span, std::string help = {});
  Span span_from(std::size_t begin) const;
  std::string_view keep(std::string text);

  HloLexer lexer_;
  std::shared_ptr<const Source> source_;
  std::string_view text_;  // the source up to the end of this module's part
  DiagnosticSink& sink_;
  HloModule module_;
  TypeTexts types_;
  std::vector<Anonymous> anonymous_;
  std::set<std::string_view> reserved_;  // keywords used as names, each reported once
  std::unordered_map<const Computation*, std::uint32_t> call_heights_;  // of those that call any
  std::uint64_t inferred_arrays_ = 0;                                   // in all omitted types
  int depth_ = 0;
  const Computation* cut_ = nullptr;  // the computation in which the text ends
  bool braces_run_out_ = false;       // some '{' is never closed
  bool entry_is_cut_ = false;
  bool at_computation_ = false;  // a computation begins in place of an instruction
};

}  // namespace tessera::detail
