// SPDX-License-Identifier: Apache-2.0
// Finds where attribute values end. They contain strings with brackets and commas, JSON and other languages,
// so the end is found by parsing, never by searching for a comma.
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "hlo/parser/module_parser.h"
#include "hlo/syntax/literal_reader.h"

namespace tessera::detail {
namespace {

// What the value of a metadata field must be.
enum class FieldValue : std::uint8_t { number, text, any };

struct MetadataField {
  std::string_view name;
  FieldValue value;
};

constexpr MetadataField kMetadataFields[] = {{"op_type", FieldValue::text},
                                             {"op_name", FieldValue::text},
                                             {"source_file", FieldValue::text},
                                             {"source_line", FieldValue::number},
                                             {"source_end_line", FieldValue::number},
                                             {"source_column", FieldValue::number},
                                             {"source_end_column", FieldValue::number},
                                             {"stack_frame_id", FieldValue::number},
                                             {"scheduling_name", FieldValue::text},
                                             {"deduplicated_name", FieldValue::text},
                                             {"preserve_layout", FieldValue::any},
                                             {"profile_type", FieldValue::any},
                                             {"profile_info", FieldValue::any},
                                             {"size_of_generated_code_in_bytes", FieldValue::any},
                                             {"size_of_memory_working_set_in_bytes", FieldValue::any}};
static_assert(std::size(kMetadataFields) < 32, "one bit each");

bool fits(FieldValue wanted, std::string_view value, bool quoted) {
  if (wanted == FieldValue::any) return true;
  return quoted ? wanted == FieldValue::text
                : wanted == FieldValue::number && std::ranges::all_of(value, is_digit);
}

}  // namespace

bool ModuleParser::skip_value(AttributeForm form) {
  const char first = lexer_.peek();
  if (first == '{') {
    switch (form) {
      case AttributeForm::text:
        return lexer_.skip_brace_text();
      case AttributeForm::string_map:
        return skip_string_map();
      case AttributeForm::metadata:
        return skip_metadata();
      case AttributeForm::unknown: {
        // Most values have a known syntax; the rest may be brace text.
        const std::size_t begin = lexer_.position();
        if (lexer_.skip_brackets()) return true;
        const auto error = lexer_.error;
        lexer_.retry(begin);
        if (lexer_.skip_brace_text()) return true;
        lexer_.error = error;
        return false;
      }
      default:
        return lexer_.skip_brackets();
    }
  }
  if (first == '"' || first == '\'') return lexer_.skip_string();
  if (form == AttributeForm::literal) {
    HloType type;
    return parse_type(type) && read_literal(lexer_, type);
  }
  return skip_plain_value();
}

// Skips a word or number, a type, or one of the short forms of device lists.
bool ModuleParser::skip_plain_value() {
  const std::size_t begin = lexer_.position();
  const auto at_word_char = [&] {
    const char c = lexer_.peek();
    if (c == '>') return lexer_.position() > begin && text_[lexer_.position() - 1] == '-';  // b01f_01io->b01f
    return is_class(c, kNameChar) || c == '?' || c == '+' || c == '%' || c == ':' || c == '@';
  };
  while (!lexer_.at_end() && at_word_char()) lexer_.advance(1);
  const std::string_view word = lexer_.between(begin, lexer_.position());
  const char next = lexer_.peek();
  if (next == '(' && (word.empty() || word == "b")) return lexer_.skip_brackets();
  if (next != '[') return !word.empty() || lexer_.expected("the value of the attribute");
  if (!lexer_.skip_brackets()) return false;
  if (word == "mesh") {  // mesh['a'=2,'b'=4], device_ids=(0,2,1,3) {'b'}
    const std::size_t axes_end = lexer_.position();
    if (lexer_.accept(',') && lexer_.skip() && lexer_.accept("device_ids=") && lexer_.peek() == '(') {
      if (!lexer_.skip_brackets()) return false;
    } else {
      if (lexer_.error) return false;
      lexer_.seek(axes_end);
    }
    return !lexer_.skip() || lexer_.peek() != '{' || lexer_.skip_brackets();
  }
  if (!word.empty()) return lexer_.peek() != '{' || lexer_.skip_brackets();  // f32[2,3]{1,0}
  if (!lexer_.accept("<=")) return true;                                     // [2,4]<=[4,2]T(1,0)
  if (!lexer_.skip() || lexer_.peek() != '[') return lexer_.expected("'[' after '<='");
  if (!lexer_.skip_brackets()) return false;
  const std::size_t end = lexer_.position();
  if (!lexer_.accept("T(")) {
    lexer_.seek(end);  // the value ends before the blanks
    return !lexer_.error;
  }
  lexer_.seek(lexer_.position() - 1);
  return lexer_.skip_brackets();
}

// {key="text",key={brace text}}
bool ModuleParser::skip_string_map() {
  lexer_.advance(1);
  bool more = !lexer_.accept('}');
  while (more) {
    if (!lexer_.skip()) return false;
    if (lexer_.identifier().empty() || lexer_.peek() != '=') return lexer_.expected("'key=value'");
    lexer_.advance(1);
    if (!lexer_.skip()) return false;
    const char first = lexer_.peek();
    if (first == '"' || first == '\'') {
      if (!lexer_.skip_string()) return false;
    } else if (first == '{') {
      if (!lexer_.skip_brace_text()) return false;
    } else {
      return lexer_.expected("a string or '{'");
    }
    more = lexer_.accept(',');
    if (!more && !lexer_.need('}', "',' or '}' in the list of attributes")) return false;
  }
  return !lexer_.error.has_value();
}

// Metadata does not affect the analysis, so the instruction stays sound.
void ModuleParser::report_metadata(std::string_view field, bool number, std::size_t begin) {
  report(Code::bad_attribute,
         fmt::format("'{}' in metadata must be {}, not {}", field, number ? "a number" : "a string",
                     lexer_.between(begin, lexer_.position()).substr(0, 60)),
         span_from(begin), fmt::format("write {}={}", field, number ? "3" : "\"text\""));
}

// {op_type="x" op_name="y" source_line=3}: separated by blanks or commas.
bool ModuleParser::skip_metadata() {
  const std::size_t open = lexer_.position();
  std::uint32_t seen = 0;
  lexer_.advance(1);
  for (;;) {
    if (!lexer_.skip()) return false;
    if (lexer_.peek() == ',') {
      lexer_.advance(1);
      continue;
    }
    if (lexer_.peek() == '}') {
      lexer_.advance(1);
      return true;
    }
    const std::size_t at = lexer_.position();
    const std::string_view field = lexer_.identifier();
    if (field.empty() || lexer_.peek() != '=') {
      lexer_.seek(at);
      return lexer_.at_instruction() ? lexer_.not_closed(open)
                                     : lexer_.expected("'field=value' or '}' in metadata");
    }
    const auto* const known = std::ranges::find(kMetadataFields, field, &MetadataField::name);
    const bool is_known = known != std::end(kMetadataFields);
    const std::uint32_t bit = is_known ? 1U << (known - kMetadataFields) : 0;
    const FieldValue wanted = is_known ? known->value : FieldValue::any;
    if ((seen & bit) != 0) {
      report(Code::duplicate_name, fmt::format("'{}' occurs twice in metadata", field), span_from(at),
             "remove one of the two");
    }
    seen |= bit;
    if (!is_known) {
      sink_.add({.code = Code::unknown_attribute,
                 .message = fmt::format("unknown metadata field '{}', kept as written", field),
                 .span = span_from(at),
                 .severity = Severity::warning});
    }
    lexer_.advance(1);
    if (!lexer_.skip()) return false;
    const std::size_t begin = lexer_.position();
    const char first = lexer_.peek();
    if (first == '"' || first == '\'') {
      if (!lexer_.skip_string()) return false;
    } else if (first == '{') {
      if (!lexer_.skip_brackets()) return false;
    } else if (!is_class(first, kNameChar)) {
      return lexer_.expected("a string, a number or '{'");
    } else {
      while (is_class(lexer_.peek(), kNameChar)) lexer_.advance(1);
    }
    const bool quoted = first == '"' || first == '\'';
    if (!fits(wanted, lexer_.between(begin, lexer_.position()), quoted))
      report_metadata(field, wanted == FieldValue::number, begin);
  }
}

}  // namespace tessera::detail
