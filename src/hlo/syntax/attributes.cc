// SPDX-License-Identifier: Apache-2.0
#include "hlo/syntax/attributes.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/plural.h"
#include "hlo/syntax/attribute_keys.h"
#include "hlo/syntax/attribute_reader.h"
#include "hlo/syntax/lexer.h"
#include "hlo/syntax/replica_groups.h"
#include "hlo/syntax/spelling.h"
#include "tessera/notation/tensor_type.h"

namespace tessera {
namespace {

using detail::HloLexer;
using detail::read_index_list;
using detail::read_list;
using detail::read_value;

bool read_word_into(HloLexer& lexer, std::string_view& out) {
  if (!lexer.skip()) return false;
  out = lexer.identifier();
  return !out.empty() || lexer.expected("a word");
}

// The content of a quoted string, with C escapes resolved.
std::string unescape(std::string_view quoted) {
  std::string out;
  for (std::size_t i = 0; i < quoted.size(); ++i) {
    if (quoted[i] != '\\' || i + 1 == quoted.size()) {
      out += quoted[i];
      continue;
    }
    const char c = quoted[++i];
    const auto number = [&](std::size_t digits, int base) {
      int value = 0;
      std::size_t used = 0;
      for (; used < digits && i + used < quoted.size(); ++used) {
        const char d = quoted[i + used];
        const int v = d >= '0' && d <= '9'   ? d - '0'
                      : d >= 'a' && d <= 'f' ? d - 'a' + 10
                      : d >= 'A' && d <= 'F' ? d - 'A' + 10
                                             : 99;
        if (v >= base) break;
        value = value * base + v;
      }
      i += used - 1;
      return static_cast<char>(value);
    };
    constexpr std::string_view kLetters = "abfnrtv";
    constexpr std::string_view kValues = "\a\b\f\n\r\t\v";
    if (const auto letter = kLetters.find(c); letter != std::string_view::npos) {
      out += kValues[letter];
    } else if (c == 'x' && i + 1 < quoted.size()) {
      ++i;
      out += number(2, 16);
    } else if (c >= '0' && c <= '7') {
      out += number(3, 8);
    } else {
      out += c;
    }
  }
  return out;
}

Result<const Attribute*> required(const Instruction& instruction, std::string_view key) {
  if (const Attribute* attribute = instruction.attribute(key)) return attribute;
  return fail(detail::missing_attribute(instruction, key));
}

template <class T>
Result<T> required_value(const Instruction& instruction, std::string_view key,
                         Result<T> (*read)(const Attribute&)) {
  const auto attribute = required(instruction, key);
  if (!attribute) return fail(attribute.error());
  return read(**attribute);
}

}  // namespace

Result<std::vector<Index>> read_ints(const Attribute& attribute) {
  return read_value<std::vector<Index>>(attribute, "{0,1}", [](HloLexer& lexer, std::vector<Index>& out) {
    return read_index_list(lexer, out);
  });
}

Result<Index> read_int(const Attribute& attribute) {
  return read_value<Index>(attribute, "0",
                           [](HloLexer& lexer, Index& out) { return lexer.integer(out, "an integer"); });
}

Result<bool> read_bool(const Attribute& attribute) {
  return read_value<bool>(attribute, "true", [](HloLexer& lexer, bool& out) {
    if (!lexer.skip()) return false;
    const std::size_t begin = lexer.position();
    const std::string_view word = lexer.identifier();
    out = word == "true";
    if (out || word == "false") return true;
    lexer.seek(begin);
    return lexer.expected("true or false");
  });
}

Result<std::string_view> read_word(const Attribute& attribute) {
  return read_value<std::string_view>(attribute, "word", read_word_into);
}

Result<std::vector<std::string_view>> read_words(const Attribute& attribute) {
  return read_value<std::vector<std::string_view>>(
      attribute, "{word,word}", [](HloLexer& lexer, std::vector<std::string_view>& out) {
        return read_list(lexer, '{', '}', [&] { return read_word_into(lexer, out.emplace_back()); });
      });
}

Result<std::string> read_string(const Attribute& attribute) {
  return read_value<std::string>(attribute, "\"text\"", [](HloLexer& lexer, std::string& out) {
    if (!lexer.skip()) return false;
    const std::size_t begin = lexer.position();
    if (lexer.peek() == '"' || lexer.peek() == '\'') {
      if (!lexer.skip_string()) return false;
      out = unescape(lexer.between(begin + 1, lexer.position() - 1));
      return true;
    }
    out = std::string(lexer.identifier());
    return !out.empty() || lexer.expected("a string");
  });
}

Result<HloType> read_type(const Attribute& attribute) {
  auto type = parse_hlo_type(attribute.value);
  if (type) return type;
  Diagnostic error = type.error();
  error.span.begin += attribute.span.begin;
  error.span.end += attribute.span.begin;
  return fail(std::move(error));
}

Result<std::vector<SourceTarget>> read_source_target_pairs(const Attribute& attribute) {
  return read_value<std::vector<SourceTarget>>(
      attribute, "{{0,1},{1,0}}", [](HloLexer& lexer, std::vector<SourceTarget>& out) {
        return read_list(lexer, '{', '}', [&] {
          SourceTarget& pair = out.emplace_back();
          const auto replica = [&](Index& number, const char* what) {
            if (!lexer.skip()) return false;
            const std::size_t at = lexer.position();
            return lexer.integer(number, what) &&
                   (number >= 0 || lexer.fail_at(at, Code::bad_attribute,
                                                 fmt::format("replica numbers start at 0, not {}", number)));
          };
          return lexer.need('{', "'{' of a pair") && replica(pair.source, "a source") &&
                 lexer.need(',', "',' and the target") && replica(pair.target, "a target") &&
                 lexer.need('}', "'}' after a pair");
        });
      });
}

Result<std::vector<OutputAlias>> read_output_aliases(const Attribute& attribute) {
  return read_value<std::vector<OutputAlias>>(
      attribute, "{{}: (0, {})}", [](HloLexer& lexer, std::vector<OutputAlias>& out) {
        return read_list(lexer, '{', '}', [&] {
          OutputAlias& alias = out.emplace_back();
          return read_index_list(lexer, alias.output) && lexer.need(':', "':' and the operand") &&
                 lexer.need('(', "'('") && lexer.integer(alias.operand, "an operand number") &&
                 lexer.need(',', "',' and the part of the operand") &&
                 read_index_list(lexer, alias.operand_part) && lexer.need(')', "')'");
        });
      });
}

Result<std::vector<Index>> ints_of(const Instruction& instruction, std::string_view key) {
  return required_value(instruction, key, read_ints);
}

Result<std::vector<Index>> ints_of(const Instruction& instruction, std::string_view key,
                                   std::vector<Index> fallback) {
  const Attribute* attribute = instruction.attribute(key);
  return attribute == nullptr ? Result<std::vector<Index>>(std::move(fallback)) : read_ints(*attribute);
}

Result<Index> int_of(const Instruction& instruction, std::string_view key) {
  return required_value(instruction, key, read_int);
}

Result<Index> int_of(const Instruction& instruction, std::string_view key, Index fallback) {
  const Attribute* attribute = instruction.attribute(key);
  return attribute == nullptr ? Result<Index>(fallback) : read_int(*attribute);
}

Result<bool> bool_of(const Instruction& instruction, std::string_view key, bool fallback) {
  const Attribute* attribute = instruction.attribute(key);
  return attribute == nullptr ? Result<bool>(fallback) : read_bool(*attribute);
}

Result<std::vector<SliceRange>> slice_ranges_of(const Instruction& instruction) {
  return required_value(instruction, "slice", read_slice_ranges);
}

Result<std::vector<PadRange>> padding_of(const Instruction& instruction) {
  return required_value(instruction, "padding", read_padding);
}

Result<ConvolutionDims> dim_labels_of(const Instruction& instruction) {
  return required_value(instruction, "dim_labels", read_dim_labels);
}

Result<std::vector<WindowDim>> window_of(const Instruction& instruction) {
  const Attribute* attribute = instruction.attribute("window");
  return attribute == nullptr ? Result<std::vector<WindowDim>>(std::vector<WindowDim>())
                              : read_window(*attribute);
}

Result<ReplicaGroups> replica_groups_of(const Instruction& instruction) {
  const Attribute* attribute = instruction.attribute("replica_groups");
  return attribute == nullptr ? Result<ReplicaGroups>(ReplicaGroups{.all = true, .groups = {}})
                              : read_replica_groups(*attribute);
}

Result<std::vector<SourceTarget>> source_target_pairs_of(const Instruction& instruction) {
  return required_value(instruction, "source_target_pairs", read_source_target_pairs);
}

Computation* called_by(const Instruction& instruction, std::string_view key) {
  const Attribute* const only = instruction.called.size() == 1 ? instruction.attribute(key) : nullptr;
  if (only != nullptr && !only->value.starts_with('{')) return instruction.called[0];
  std::size_t place = 0;
  for (const Attribute& attribute : instruction.attributes) {
    if (detail::attribute_form(attribute.key) != detail::AttributeForm::computation) continue;
    const std::size_t names = detail::listed_names(attribute.value).size();
    if (attribute.key == key)
      return names > 0 && place < instruction.called.size() ? instruction.called[place] : nullptr;
    place += names;
  }
  return nullptr;
}

}  // namespace tessera
