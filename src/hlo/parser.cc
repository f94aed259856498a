// SPDX-License-Identifier: Apache-2.0
#include "tessera/hlo/parser.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/plural.h"
#include "hlo/module_parser.h"
#include "hlo/verify/verify.h"
#include "tessera/hlo/attributes.h"

namespace tessera {
namespace detail {
namespace {

std::string reserved_text(std::string_view name) {
  return fmt::format("'{}' is a word of the language, not a name; '%{}' would be one", name, name);
}

// "// -----" at the beginning of a line, from `begin` on; the end of the text if there is none.
std::size_t find_separator(std::string_view text, std::size_t begin) {
  constexpr std::string_view kMark = "// -----";
  if (begin == 0 && text.starts_with(kMark)) return 0;
  const std::size_t found = text.find("\n// -----", begin == 0 ? 0 : begin - 1);
  return found == std::string_view::npos ? text.size() : found + 1;
}

}  // namespace

// Messages are lines, and short ones: names and values in them come from the text, which may hold anything.
void DiagnosticSink::add(Diagnostic diagnostic) {
  errors_ += diagnostic.severity == Severity::error;
  if (list_.size() >= limit_) {
    ++left_out_;
    return;
  }
  constexpr std::size_t kLongest = 400;
  const auto clean = [](std::string& text) {
    if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
    for (char& c : text) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
    }
  };
  clean(diagnostic.message);
  clean(diagnostic.help);
  list_.push_back(std::move(diagnostic));
}

std::vector<Diagnostic> DiagnosticSink::take() {
  // The order in which they were found decides between equal places.
  std::vector<std::size_t> order(list_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(list_[i].span.begin, i); });
  std::vector<Diagnostic> sorted;
  sorted.reserve(order.size());
  for (const std::size_t i : order) sorted.push_back(std::move(list_[i]));
  list_ = std::move(sorted);
  // A second error at the same place is an echo of the first.
  const auto echoes = std::ranges::unique(list_, [](const Diagnostic& a, const Diagnostic& b) {
    return a.span.begin == b.span.begin && a.severity == b.severity && a.code == b.code;
  });
  list_.erase(echoes.begin(), echoes.end());
  if (left_out_ > 0 && !list_.empty()) {
    list_.back().notes.push_back(fmt::format("{} not shown", plural(left_out_, "further problem")));
  }
  return std::move(list_);
}

ModuleParser::ModuleParser(const std::shared_ptr<const Source>& source, std::size_t begin, std::size_t end,
                           DiagnosticSink& sink)
    : lexer_(source->text().substr(begin, end - begin), begin),
      source_(source),
      text_(source->text().substr(0, end)),
      sink_(sink) {}

Span ModuleParser::span_from(std::size_t begin) const {
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(lexer_.position())};
}

std::string_view ModuleParser::keep(std::string text) {
  return *module_.generated.emplace_back(std::make_unique<const std::string>(std::move(text)));
}

void ModuleParser::report(Code code, std::string message, Span span, std::string help,
                          std::vector<std::string> notes) {
  sink_.add({.code = code,
             .message = std::move(message),
             .span = span,
             .notes = std::move(notes),
             .help = std::move(help)});
}

void ModuleParser::report_lexer_error() {
  if (!lexer_.error) return;
  sink_.add(*std::move(lexer_.error));
  lexer_.error.reset();
}

bool ModuleParser::at_word(std::string_view word) const {
  const std::string_view rest = lexer_.rest();
  return rest.starts_with(word) && (rest.size() == word.size() || !is_class(rest[word.size()], kNameChar));
}

bool ModuleParser::done() {
  if (!lexer_.skip()) {
    report_lexer_error();
    lexer_.advance(lexer_.rest().size());
  }
  return lexer_.at_end();
}

HloModule ModuleParser::parse() {
  module_ = HloModule{};
  module_.source = source_;
  anonymous_.clear();
  reserved_.clear();
  const std::size_t begin = lexer_.position();
  if (at_header()) {
    parse_header();
    if (lexer_.error) {
      report_lexer_error();
      recover_between();
    }
    parse_stack_tables();
  }
  while (!done() && !at_header()) {
    const std::size_t before = lexer_.position();
    parse_computation();
    if (lexer_.error) {
      report_lexer_error();
      recover_between();
    }
    if (lexer_.ran_out()) lexer_.advance(lexer_.rest().size());
    if (lexer_.position() == before && !lexer_.at_end()) lexer_.advance(1);
  }
  if (module_.computations.empty()) {
    const auto end = static_cast<std::uint32_t>(lexer_.position());
    report(Code::syntax, "there is no computation here",
           lexer_.at_end() ? Span{end, end} : Span{static_cast<std::uint32_t>(begin), end},
           "write at least 'ENTRY main { ROOT x = f32[] parameter(0) }'");
  }
  finish_module();
  return std::move(module_);
}

void ModuleParser::parse_header() {
  lexer_.advance(std::string_view("HloModule").size());
  Span span;
  if (!parse_name(module_.name, span, "the module's name")) return;
  while (lexer_.accept(',')) {
    if (!lexer_.skip()) return;
    Attribute attribute;
    attribute.key = lexer_.identifier();
    if (attribute.key.empty() || lexer_.peek() != '=') {
      lexer_.expected("an attribute 'key=value'");
      return;
    }
    lexer_.advance(1);
    if (!lexer_.skip()) return;
    const std::size_t begin = lexer_.position();
    const AttributeForm form =
        attribute.key == "frontend_attributes" ? AttributeForm::string_map
        : attribute.key == "origin_recovery_table" || attribute.key == "debug_attributes"
            ? AttributeForm::text
            : AttributeForm::verbatim;
    if (!skip_value(form)) return;
    attribute.span = span_from(begin);
    attribute.value = lexer_.between(begin, lexer_.position());
    module_.attributes.push_back(attribute);
  }
}

// The tables are kept as they are: from the first of their words to the first word that is not one of them.
void ModuleParser::parse_stack_tables() {
  if (!lexer_.skip()) return;
  const std::size_t begin = lexer_.position();
  std::size_t end = begin;
  while (at_word("FileNames") || at_word("FunctionNames") || at_word("FileLocations") ||
         at_word("StackFrames")) {
    lexer_.identifier();
    while (lexer_.skip() && is_digit(lexer_.peek())) {
      Index id = 0;
      const char first = lexer_.integer(id, "an entry number") && lexer_.skip() ? lexer_.peek() : '\0';
      if (first == '"' || first == '\'') {
        lexer_.skip_string();
      } else if (first == '{') {
        lexer_.skip_brackets();
      } else {
        lexer_.expected("a string or '{' in this table");
      }
      if (lexer_.error) break;
    }
    if (lexer_.error) {
      report_lexer_error();
      recover_between();
    }
    end = lexer_.position();
    if (!lexer_.skip()) break;
  }
  std::string_view tables = lexer_.between(begin, end);
  while (!tables.empty() && is_blank(tables.back())) tables.remove_suffix(1);
  module_.stack_tables = tables;
}

void ModuleParser::parse_computation() {
  if (lexer_.at_instruction()) return parse_bare_list();
  auto computation = std::make_unique<Computation>();
  const std::size_t begin = lexer_.position();
  if (at_word("ENTRY")) {
    lexer_.advance(5);
    computation->is_entry = true;
  }
  Span name_span;
  const bool unnamed = computation->is_entry && lexer_.skip() && lexer_.peek() == '{';
  const bool named = unnamed || parse_name(computation->name, name_span, "a computation");
  if (named && !lexer_.skip()) return;
  if (named && lexer_.peek() == '=') {  // name=..., without a blank: still an instruction
    lexer_.seek(begin);
    return parse_bare_list();
  }
  std::vector<std::pair<HloType, Span>> parameters;
  HloType result;
  Span result_span;
  const bool has_signature = named && lexer_.peek() == '(';
  const bool readable = named && (!has_signature || parse_signature(parameters, result, result_span));
  if (!readable) {
    // The name is lost, or the signature, which repeats what the body says: report it and look for the body.
    report_lexer_error();
    const std::string_view line = lexer_.rest().substr(0, lexer_.rest().find('\n'));
    // Signatures have braces of their own; behind a bare name the first instruction may have some.
    const bool last = has_signature || line.find('(') < line.find('{');
    const std::size_t brace = last ? line.rfind('{') : line.find('{');
    if (brace == std::string_view::npos || lexer_.position() + brace == begin) return recover_between();
    lexer_.advance(brace);
  }
  if (!lexer_.need('{', "'{' in front of the instructions")) return;
  Computation& body = *computation;
  if (!body.name.empty() && module_.names.find(body.name) != NameTable::kNone) {
    report(Code::duplicate_name, fmt::format("computation '{}' is defined twice", body.name), name_span);
  }
  parse_body(body, true);
  if (lexer_.accept(',')) {
    if (lexer_.skip() && lexer_.accept("execution_thread=")) {
      const std::size_t from = lexer_.position();
      if (lexer_.peek() != '"' && lexer_.peek() != '\'') {
        lexer_.expected("a string");
      } else if (lexer_.skip_string()) {
        body.execution_thread = lexer_.between(from, lexer_.position());
      }
    } else {
      lexer_.expected("'execution_thread='");
    }
  }
  body.span = span_from(begin);
  if (has_signature && readable) check_signature(body, parameters, result, result_span);
  if (body.is_entry) {
    if (module_.entry != nullptr) {
      report(Code::duplicate_name, fmt::format("a second ENTRY; the first is '{}'", module_.entry->name),
             name_span, "mark one computation only");
      body.is_entry = false;
    } else {
      module_.entry = &body;
    }
  }
  if (!body.name.empty()) {
    module_.names.insert(body.name, static_cast<std::uint32_t>(module_.computations.size()));
  }
  module_.computations.push_back(std::move(computation));
}

void ModuleParser::parse_bare_list() {
  auto computation = std::make_unique<Computation>();
  const std::size_t begin = lexer_.position();
  computation->is_entry = module_.entry == nullptr;
  if (computation->is_entry) module_.entry = computation.get();
  parse_body(*computation, false);
  computation->span = span_from(begin);
  module_.computations.push_back(std::move(computation));
}

// Instructions up to the closing brace, or (a bare list) as long as there are some.
void ModuleParser::parse_body(Computation& computation, bool braces) {
  const std::size_t open = lexer_.position() - (braces ? 1 : 0);
  bool had_error = false;
  for (;;) {
    if (!lexer_.skip()) {
      report_lexer_error();
      break;
    }
    if (braces && lexer_.peek() == '}') {
      lexer_.advance(1);
      break;
    }
    const bool over = lexer_.at_end() || at_word("HloModule") || at_word("ENTRY") || at_computation_;
    at_computation_ = false;
    if (over && braces && !had_error) report_open(computation, open);
    if (over || (!braces && lexer_.peek() == '}')) break;
    const std::size_t before = lexer_.position();
    if (parse_instruction(computation) || at_computation_) continue;
    had_error = true;
    report_lexer_error();
    if (lexer_.ran_out()) {
      lexer_.advance(lexer_.rest().size());
      break;
    }
    if (lexer_.position() == before && !lexer_.at_end()) lexer_.advance(1);
    if (!recover_in_body()) break;
  }
  if (computation.instructions.empty() && !had_error) {
    const auto at = static_cast<std::uint32_t>(open);
    report(Code::syntax, fmt::format("computation '{}' has no instructions", computation.name), {at, at + 1});
  }
  finish(computation);
}

// An attribute of the last instruction that is not closed takes the brace of the computation, which stands in
// the first column, or the instructions behind it. Null where there is none.
const Attribute* ModuleParser::unclosed_value(const Computation& computation,
                                              bool& before_instruction) const {
  if (computation.instructions.empty()) return nullptr;
  const Instruction& last = *computation.instructions.back();
  for (const Attribute& attribute : last.attributes) {
    if (attribute_form(attribute.key) == AttributeForm::computation || !attribute.value.starts_with('{'))
      continue;
    for (auto line = attribute.value.find('\n'); line != std::string_view::npos;
         line = attribute.value.find('\n', line + 1)) {
      const std::string_view rest = attribute.value.substr(line + 1);
      before_instruction = rest != "}" && Lexer(rest).at_instruction_line();
      if (before_instruction || rest == "}") return &attribute;
    }
  }
  for (const Computation* called : last.called) {  // one written in place may have taken the brace itself
    if (!called->name.empty()) continue;
    if (const Attribute* const found = unclosed_value(*called, before_instruction)) return found;
  }
  return nullptr;
}

// The text of a computation ends before its brace does.
void ModuleParser::report_open(Computation& computation, std::size_t open) {
  bool before_instruction = false;
  if (const Attribute* const value = unclosed_value(computation, before_instruction)) {
    const auto at = value->span.begin;
    report(Code::syntax,
           fmt::format("this '{{' of '{}' is not closed before {}", value->key,
                       before_instruction ? "the next instruction" : "the end of the computation"),
           {at, at + 1}, "write '}' behind the value; the brace of the computation closed it");
    computation.instructions.back()->sound = false;
    return;
  }
  const auto at = static_cast<std::uint32_t>(open);
  report(Code::syntax, fmt::format("this '{{' of computation '{}' is never closed", computation.name),
         {at, at + 1}, "write '}' behind its last instruction");
}

// To the next line that begins like an instruction, or to a closing brace at the beginning of a line. False
// when the computation ends without its brace: at the end, or in front of another computation.
bool ModuleParser::recover_in_body() {
  bool line_start = false;
  {
    // The offending token may itself begin the next line: the error was found there, but made before.
    std::size_t at = lexer_.position();
    const std::string_view before = text_.substr(0, at);
    const std::size_t last = before.find_last_not_of(" \t\r");
    line_start = last == std::string_view::npos || before[last] == '\n';
  }
  while (!lexer_.at_end()) {
    if (line_start) {
      Lexer ahead(lexer_.rest());
      while (!ahead.at_end() && (ahead.peek() == ' ' || ahead.peek() == '\t')) ahead.advance(1);
      if (ahead.peek() == '}' || ahead.at_instruction_line()) return true;
      const std::string_view rest = ahead.rest();
      if (rest.starts_with("ENTRY ") || rest.starts_with("HloModule ")) return false;
      if (ahead.position() == 0 && ahead.at_computation()) return false;
    }
    const std::size_t line_end = lexer_.rest().find('\n');
    lexer_.advance(line_end == std::string_view::npos ? lexer_.rest().size() : line_end + 1);
    line_start = true;
  }
  return false;
}

// To the next line that begins a computation or a module: something in column one with a brace or a keyword.
void ModuleParser::recover_between() {
  while (!lexer_.at_end()) {
    const std::size_t line_end = lexer_.rest().find('\n');
    lexer_.advance(line_end == std::string_view::npos ? lexer_.rest().size() : line_end + 1);
    const std::string_view rest = lexer_.rest();
    if (rest.empty() || rest.starts_with("ENTRY") || rest.starts_with("HloModule")) return;
    if (lexer_.at_computation() || lexer_.at_instruction_line()) return;
  }
}

bool ModuleParser::parse_signature(std::vector<std::pair<HloType, Span>>& parameters, HloType& result,
                                   Span& result_span) {
  lexer_.advance(1);
  bool more = !lexer_.accept(')');
  while (more) {
    if (!lexer_.skip()) return false;
    lexer_.accept('%');
    if (lexer_.identifier().empty()) return lexer_.expected("a parameter name");
    if (!lexer_.need(':', "':' behind a parameter name") || !lexer_.skip()) return false;
    const std::size_t begin = lexer_.position();
    auto& [type, span] = parameters.emplace_back();
    if (!parse_type(type)) return false;
    span = span_from(begin);
    more = lexer_.accept(',');
    if (!more && !lexer_.need(')', "',' or ')' in the parameter list")) return false;
  }
  if (!lexer_.accept("->")) return lexer_.expected("'->' and the result type");
  if (!lexer_.skip()) return false;
  const std::size_t begin = lexer_.position();
  if (!parse_type(result)) return false;
  result_span = span_from(begin);
  return true;
}

// A signature is written once more what the parameters and the root say (without layouts).
void ModuleParser::check_signature(const Computation& computation,
                                   const std::vector<std::pair<HloType, Span>>& parameters,
                                   const HloType& result, Span result_span) {
  if (parameters.size() != computation.parameters.size()) {
    report(Code::operand_count,
           fmt::format("the signature of '{}' has {}, but its body has {}", computation.name,
                       plural(parameters.size(), "parameter"), computation.parameters.size()),
           result_span);
    return;
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Instruction* parameter = computation.parameters[i];
    if (parameter == nullptr || compatible(parameters[i].first, parameter->type)) continue;
    report(Code::shape_mismatch,
           fmt::format("the signature says {} for parameter {}, but its body says {}",
                       short_text(parameters[i].first), i, short_text(parameter->type)),
           parameters[i].second);
  }
  if (computation.root != nullptr && !compatible(result, computation.root->type)) {
    report(Code::shape_mismatch,
           fmt::format("the signature gives {}, but the root '{}' is {}", short_text(result),
                       computation.root->name, short_text(computation.root->type)),
           result_span);
  }
}

// Root, parameters, and names for the instructions that have none.
void ModuleParser::finish(Computation& computation) {
  std::size_t count = 0;
  std::size_t number = 0;
  for (const auto& instruction : computation.instructions) {
    count += instruction->opcode == Opcode::parameter;
    if (instruction->name.empty()) {
      do {
        instruction->name = keep(fmt::format("{}.{}", instruction->opcode_text, ++number));
      } while (computation.names.insert(instruction->name, instruction->index) != NameTable::kNone);
    }
  }
  if (computation.root == nullptr && !computation.instructions.empty()) {
    // The last one written, not one nested in its operands: nested ones come before.
    computation.root = computation.instructions.back().get();
    computation.root->is_root = true;
  }
  computation.parameters.assign(count, nullptr);
  for (const auto& instruction : computation.instructions) {
    if (instruction->opcode != Opcode::parameter || instruction->parameter_number < 0) continue;
    const auto place = static_cast<std::uint64_t>(instruction->parameter_number);
    if (place >= count) {
      broken(*instruction, Code::index_out_of_range,
             fmt::format("parameter number {}, but '{}' has {}: numbers are 0 to {}", place, computation.name,
                         plural(count, "parameter"), count - 1),
             instruction->opcode_span);
    } else if (computation.parameters[place] != nullptr) {
      broken(*instruction, Code::duplicate_name,
             fmt::format("parameter number {} is given twice in '{}'; '{}' has it too", place,
                         computation.name, computation.parameters[place]->name),
             instruction->opcode_span);
    } else {
      computation.parameters[place] = instruction.get();
    }
  }
}

DeviceCounts ModuleParser::device_counts() const {
  DeviceCounts counts;
  for (const Attribute& attribute : module_.attributes) {
    const bool replicas = attribute.key == "replica_count";
    if (!replicas && attribute.key != "num_partitions") continue;
    if (const Result<Index> count = read_int(attribute); count && *count > 0) {
      (replicas ? counts.replicas : counts.partitions) = *count;
    }
  }
  return counts;
}

// The entry, what the header says, and names for the computations that have none, now that all the others are
// known.
void ModuleParser::finish_module() {
  const DeviceCounts devices = device_counts();
  for (const auto& computation : module_.computations) computation->devices = devices;
  std::size_t number = 0;
  for (std::uint32_t i = 0; i < module_.computations.size(); ++i) {
    Computation& computation = *module_.computations[i];
    if (!computation.name.empty()) continue;
    const std::string_view base = computation.is_entry ? "main" : "region";
    computation.name = keep(std::string(base));
    while (module_.names.insert(computation.name, i) != NameTable::kNone) {
      computation.name = keep(fmt::format("{}.{}", base, ++number));
    }
  }
  for (const auto& [user, attribute, computation] : anonymous_) {
    user->attributes[attribute].value = computation->name;
  }
  if (module_.entry == nullptr && !module_.computations.empty()) {
    module_.entry = module_.computations.back().get();
    module_.entry->is_entry = true;
  }
}

bool ModuleParser::parse_name(std::string_view& name, Span& span, std::string_view what) {
  if (!lexer_.skip()) return false;
  const std::size_t begin = lexer_.position();
  const bool percent = lexer_.peek() == '%';
  if (percent) lexer_.advance(1);
  name = lexer_.identifier();
  if (name.empty()) {
    lexer_.seek(begin);
    return lexer_.expected(what);
  }
  span = span_from(begin);
  if (!percent && is_reserved(name)) {
    // Where nothing else can be meant it is a name all the same, so that its uses are no further errors.
    lexer_.skip();
    const char next = lexer_.peek();
    const bool defined = next == '=';
    const bool used = (next == ',' || next == ')' || next == '#') && reserved_.contains(name);
    if (defined || used) {
      lexer_.seek(span.end);
      if (reserved_.insert(name).second) report(Code::reserved_name, reserved_text(name), span);
      return true;
    }
    return lexer_.fail_at(begin, Code::reserved_name, reserved_text(name), name.size());
  }
  return true;
}

}  // namespace detail

bool ParsedModules::ok() const {
  return std::ranges::none_of(diagnostics, [](const Diagnostic& d) { return d.severity == Severity::error; });
}

ParsedModules parse_hlo(std::shared_ptr<const Source> source, const ParseHloOptions& options) {
  ParsedModules out;
  const std::string_view text = source->text();
  detail::DiagnosticSink sink(options.max_diagnostics);
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    const auto at = static_cast<std::uint32_t>(nul);
    sink.add({.code = Code::syntax, .message = "a zero byte: this is not a text", .span = {at, at + 1}});
  }
  std::size_t begin = text.starts_with("\xef\xbb\xbf") ? 3 : 0;  // a byte order mark
  while (begin < text.size() && text[begin] == '#') {            // some test files begin with such lines
    const std::size_t line_end = text.find('\n', begin);
    begin = line_end == std::string_view::npos ? text.size() : line_end + 1;
  }
  while (begin < text.size() || out.modules.empty()) {
    const std::size_t end = detail::find_separator(text, begin);
    detail::ModuleParser parser(source, begin, end, sink);
    // Nothing between two separators is no module, but a text without any is an error.
    const bool last = end == text.size();
    while (!parser.done() || (last && out.modules.empty())) {
      out.modules.push_back(parser.parse());
      if (options.verify) detail::verify(out.modules.back(), sink);
    }
    if (last) break;
    begin = std::min(text.find('\n', end), text.size());
  }
  std::erase_if(out.modules, [](const HloModule& module) { return module.computations.empty(); });
  out.source = std::move(source);
  out.diagnostics = sink.take();
  return out;
}

ParsedModules parse_hlo(std::string_view text, const ParseHloOptions& options) {
  return parse_hlo(std::make_shared<const Source>("<text>", std::string(text)), options);
}

}  // namespace tessera
