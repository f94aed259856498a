// SPDX-License-Identifier: Apache-2.0
#include "hlo/parser/module_parser.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "hlo/syntax/attributes.h"

namespace tessera::detail {
namespace {

std::string reserved_text(std::string_view name) {
  return fmt::format("'{}' is a keyword; write '%{}' to use it as a name", name, name);
}

}  // namespace

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

void ModuleParser::broken(Instruction& instruction, Code code, std::string message, Span span,
                          std::string help) {
  instruction.sound = false;
  report(code, std::move(message), span, std::move(help));
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
    report(Code::syntax, "expected a computation",
           lexer_.at_end() ? Span{end, end} : Span{static_cast<std::uint32_t>(begin), end},
           "write at least 'ENTRY main { ROOT x = f32[] parameter(0) }'");
  }
  finish_module();
  return std::move(module_);
}

void ModuleParser::parse_header() {
  lexer_.advance(std::string_view("HloModule").size());
  Span span;
  if (!parse_name(module_.name, span, "the module's name", /*only_name=*/true)) return;
  std::set<std::string_view> keys;
  while (lexer_.accept(',')) {
    if (!lexer_.skip()) return;
    const std::size_t key_begin = lexer_.position();
    Attribute attribute;
    attribute.key = lexer_.identifier();
    if (attribute.key.empty() || lexer_.peek() != '=') {
      lexer_.expected("an attribute 'key=value'");
      return;
    }
    if (!keys.insert(attribute.key).second) {
      report(Code::duplicate_name, fmt::format("attribute '{}' occurs twice", attribute.key),
             span_from(key_begin), "remove one of the two");
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

// The tables are kept verbatim, from their first keyword to the first word that belongs to none of them.
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

DeviceCounts ModuleParser::device_counts() const {
  DeviceCounts counts;
  for (const Attribute& attribute : module_.attributes) {
    const bool replicas = attribute.key == "replica_count";
    if (!replicas && attribute.key != "num_partitions") continue;
    if (const Result<Index> count = read_int(attribute); count && *count > 0) {
      (replicas ? counts.replicas : counts.partitions) = *count;
    }
  }
  // XLA prints a count only if it is above 1. A header with neither says nothing: it may have been cut off.
  if (counts.replicas > 0 || counts.partitions > 0) {
    counts.replicas = std::max<Index>(counts.replicas, 1);
    counts.partitions = std::max<Index>(counts.partitions, 1);
  }
  return counts;
}

// Sets the entry and the device counts, and names unnamed computations, because all other names are now
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
  entry_is_cut_ = cut_ != nullptr && cut_ == module_.entry;
}

bool ModuleParser::parse_name(std::string_view& name, Span& span, std::string_view what, bool only_name) {
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
    // If only a name is possible here, the keyword becomes a name, and its uses are not reported again.
    lexer_.skip();
    const char next = lexer_.peek();
    const bool defined = only_name || next == '=';
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

}  // namespace tessera::detail
