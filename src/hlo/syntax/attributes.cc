// SPDX-License-Identifier: Apache-2.0
#include "tessera/hlo/attributes.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/plural.h"
#include "hlo/syntax/attribute_keys.h"
#include "hlo/syntax/attribute_reader.h"
#include "hlo/syntax/lexer.h"
#include "hlo/syntax/spelling.h"
#include "tessera/notation/hlo_type.h"

namespace tessera {
namespace {

using detail::Lexer;
using detail::read_index_list;
using detail::read_list;
using detail::read_value;

bool read_word_into(Lexer& lexer, std::string_view& out) {
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

bool read_slice_range(Lexer& lexer, SliceRange& range) {
  if (!lexer.need('[', "'['") || !lexer.integer(range.start, "a start") ||
      !lexer.need(':', "':' between start and limit") || !lexer.integer(range.limit, "a limit")) {
    return false;
  }
  if (lexer.accept(':') && !lexer.integer(range.stride, "a stride")) return false;
  return lexer.need(']', "']' after a range");
}

// integer { 'x' integer }
template <class Item>
bool read_by_x(Lexer& lexer, Item item) {
  do {
    if (!item()) return false;
  } while (lexer.peek() == 'x' && (lexer.advance(1), true));
  return true;
}

bool read_pad_range(Lexer& lexer, PadRange& range) {
  if (!lexer.integer(range.low, "low_high[_interior]") || !lexer.need('_', "'_' and the high padding") ||
      !lexer.integer(range.high, "the high padding")) {
    return false;
  }
  if (lexer.peek() != '_') return true;
  lexer.advance(1);
  return lexer.integer(range.interior, "the interior padding");
}

// One field of a window. The first field sets the number of dimensions.
bool read_window_field(Lexer& lexer, std::string_view field, std::vector<WindowDim>& dims, bool& sized) {
  std::size_t count = 0;
  const auto next = [&]() -> WindowDim* {
    if (count == dims.size()) {
      if (sized) return nullptr;
      dims.emplace_back();
    }
    return &dims[count++];
  };
  const std::size_t begin = lexer.position();
  const bool read = read_by_x(lexer, [&] {
    WindowDim* const dim = next();
    if (dim == nullptr) {
      return lexer.fail_at(begin, Code::rank_mismatch,
                           fmt::format("more than {} in '{}'", detail::plural(dims.size(), "entry"), field));
    }
    if (field == "size") return lexer.integer(dim->size, "a size");
    if (field == "stride") return lexer.integer(dim->stride, "a stride");
    if (field == "lhs_dilate") return lexer.integer(dim->lhs_dilate, "a dilation");
    if (field == "rhs_dilate") return lexer.integer(dim->rhs_dilate, "a dilation");
    if (field == "pad") {
      return lexer.integer(dim->pad_low, "low_high") && lexer.need('_', "'_' and the high padding") &&
             lexer.integer(dim->pad_high, "the high padding");
    }
    Index reversed = 0;
    if (!lexer.integer(reversed, "0 or 1")) return false;
    dim->reversed = reversed != 0;
    return reversed == 0 || reversed == 1 || lexer.fail_at(begin, Code::syntax, "a reversal is 0 or 1");
  });
  if (!read) return false;
  if (count != dims.size()) {
    return lexer.fail_at(
        begin, Code::rank_mismatch,
        fmt::format("'{}' has {}, but the window has {}", field, detail::plural(count, "entry"),
                    detail::plural(dims.size(), "dimension")),
        lexer.position() - begin);
  }
  sized = true;
  return true;
}

bool read_window_into(Lexer& lexer, std::vector<WindowDim>& dims) {
  static constexpr std::string_view kFields[] = {"size",       "stride",     "pad",
                                                 "lhs_dilate", "rhs_dilate", "rhs_reversal"};
  bool sized = false;
  unsigned seen = 0;
  if (!lexer.need('{', "'{' of a window")) return false;
  while (!lexer.accept('}')) {
    if (!lexer.skip()) return false;
    const std::size_t begin = lexer.position();
    const std::string_view field = lexer.identifier();
    const auto found = std::ranges::find(kFields, field);
    if (found == std::end(kFields)) {
      lexer.seek(begin);
      return lexer.expected("size, stride, pad, lhs_dilate, rhs_dilate, rhs_reversal or '}'");
    }
    const unsigned bit = 1u << (found - std::begin(kFields));
    if ((seen & bit) != 0) return lexer.fail_at(begin, Code::syntax, fmt::format("'{}' occurs twice", field));
    seen |= bit;
    if (!lexer.need('=', "'=' after the field") || !read_window_field(lexer, field, dims, sized))
      return false;
  }
  return !lexer.error.has_value();
}

// One of the three label lists of a convolution: letters for two roles, digits for the spatial dimensions.
bool read_labels(Lexer& lexer, char first, char second, Index& first_dim, Index& second_dim,
                 std::vector<Index>& spatial, std::size_t& rank) {
  const std::size_t begin = lexer.position();
  std::vector<std::pair<Index, Index>> numbered;  // digit, dimension
  Index dim = 0;
  for (;; ++dim) {
    const char c = lexer.peek();
    if (c == first || c == second) {
      Index& role = c == first ? first_dim : second_dim;
      if (role >= 0) return lexer.fail(Code::syntax, fmt::format("'{}' occurs twice", c));
      role = dim;
    } else if (detail::is_digit(c)) {
      numbered.emplace_back(c - '0', dim);
    } else if (c != '?') {
      break;
    }
    lexer.advance(1);
  }
  rank = static_cast<std::size_t>(dim);
  std::ranges::sort(numbered);
  for (std::size_t i = 0; i < numbered.size(); ++i) {
    if (numbered[i].first != static_cast<Index>(i)) {
      return lexer.fail_at(
          begin, Code::syntax,
          fmt::format("the spatial dimensions must be numbered 0 to {}", numbered.size() - 1), rank);
    }
    spatial.push_back(numbered[i].second);
  }
  return rank >= 2 || lexer.expected(fmt::format("labels {}, {} and digits", first, second));
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
  return read_value<std::vector<Index>>(
      attribute, "{0,1}", [](Lexer& lexer, std::vector<Index>& out) { return read_index_list(lexer, out); });
}

Result<Index> read_int(const Attribute& attribute) {
  return read_value<Index>(attribute, "0",
                           [](Lexer& lexer, Index& out) { return lexer.integer(out, "an integer"); });
}

Result<bool> read_bool(const Attribute& attribute) {
  return read_value<bool>(attribute, "true", [](Lexer& lexer, bool& out) {
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
      attribute, "{word,word}", [](Lexer& lexer, std::vector<std::string_view>& out) {
        return read_list(lexer, '{', '}', [&] { return read_word_into(lexer, out.emplace_back()); });
      });
}

Result<std::string> read_string(const Attribute& attribute) {
  return read_value<std::string>(attribute, "\"text\"", [](Lexer& lexer, std::string& out) {
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

Result<std::vector<SliceRange>> read_slice_ranges(const Attribute& attribute) {
  return read_value<std::vector<SliceRange>>(
      attribute, "{[start:limit:stride], ...}", [](Lexer& lexer, std::vector<SliceRange>& out) {
        return read_list(lexer, '{', '}', [&] { return read_slice_range(lexer, out.emplace_back()); });
      });
}

Result<std::vector<PadRange>> read_padding(const Attribute& attribute) {
  return read_value<std::vector<PadRange>>(
      attribute, "low_high_interiorx...", [](Lexer& lexer, std::vector<PadRange>& out) {
        if (!lexer.skip() || lexer.at_end()) return !lexer.error.has_value();
        return read_by_x(lexer, [&] { return read_pad_range(lexer, out.emplace_back()); });
      });
}

Result<std::vector<WindowDim>> read_window(const Attribute& attribute) {
  return read_value<std::vector<WindowDim>>(attribute, "{size=3x3 stride=1x1 pad=1_1x1_1}", read_window_into);
}

Result<ConvolutionDims> read_dim_labels(const Attribute& attribute) {
  return read_value<ConvolutionDims>(attribute, "b01f_01io->b01f", [](Lexer& lexer, ConvolutionDims& out) {
    return lexer.skip() &&
           read_labels(lexer, 'b', 'f', out.input_batch, out.input_feature, out.input_spatial,
                       out.input_rank) &&
           lexer.need('_', "'_' and the labels of the kernel") &&
           read_labels(lexer, 'i', 'o', out.kernel_input_feature, out.kernel_output_feature,
                       out.kernel_spatial, out.kernel_rank) &&
           (lexer.accept("->") || lexer.expected("'->' and the labels of the output")) &&
           read_labels(lexer, 'b', 'f', out.output_batch, out.output_feature, out.output_spatial,
                       out.output_rank);
  });
}

Result<std::vector<SourceTarget>> read_source_target_pairs(const Attribute& attribute) {
  return read_value<std::vector<SourceTarget>>(
      attribute, "{{0,1},{1,0}}", [](Lexer& lexer, std::vector<SourceTarget>& out) {
        return read_list(lexer, '{', '}', [&] {
          SourceTarget& pair = out.emplace_back();
          const auto replica = [&](Index& number, const char* what) {
            if (!lexer.skip()) return false;
            const std::size_t at = lexer.position();
            return lexer.integer(number, what) &&
                   (number >= 0 || lexer.fail_at(at, Code::bad_attribute,
                                                 fmt::format("replica numbers start at 0, got {}", number)));
          };
          return lexer.need('{', "'{' of a pair") && replica(pair.source, "a source") &&
                 lexer.need(',', "',' and the target") && replica(pair.target, "a target") &&
                 lexer.need('}', "'}' after a pair");
        });
      });
}

Result<std::vector<OutputAlias>> read_output_aliases(const Attribute& attribute) {
  return read_value<std::vector<OutputAlias>>(
      attribute, "{{}: (0, {})}", [](Lexer& lexer, std::vector<OutputAlias>& out) {
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
