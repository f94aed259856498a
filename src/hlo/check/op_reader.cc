// SPDX-License-Identifier: Apache-2.0
#include "hlo/check/op_reader.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "hlo/check/types.h"
#include "hlo/syntax/lexer.h"

namespace tessera::detail {

std::string dims_text(std::span<const Index> dims) { return fmt::format("[{}]", fmt::join(dims, ",")); }

std::vector<std::vector<std::string>> OpReader::size_names() const {
  if (sizes_ == nullptr) return {};
  const auto of = [&](const Instruction& value) {
    std::vector<std::string> out(value.type.is_array() ? value.type.rank() : 0);
    for (std::size_t d = 0; d < out.size(); ++d) out[d] = sizes_->text(value, d);
    return out;
  };
  std::vector<std::vector<std::string>> all{of(instruction_)};
  for (const Operand& x : instruction_.operands)
    all.push_back(x.tuple_index < 0 ? of(*x.instruction) : std::vector<std::string>());
  return all;
}

Span integer_span(const Attribute& attribute, std::size_t nth) {
  HloLexer lexer(attribute.value, attribute.span.begin);
  if (lexer.peek() != '{') return attribute.span;
  while (lexer.skip() && !lexer.at_end()) {
    const std::size_t begin = lexer.position();
    Index number = 0;
    if (!is_digit(lexer.peek()) && lexer.peek() != '-') {
      lexer.advance(1);
    } else if (!lexer.integer(number, "a number")) {
      break;
    } else if (nth-- == 0) {
      return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(lexer.position())};
    }
  }
  return attribute.span;
}

Span window_span(const Instruction& instruction, std::string_view field, std::size_t nth) {
  const Attribute* const window = instruction.attribute("window");
  if (window == nullptr) return instruction.opcode_span;
  const Attribute& attribute = *window;
  const std::string_view text = attribute.value;
  std::size_t at = text.find(field);
  while (at != text.npos && (at == 0 || is_class(text[at - 1], kNameChar) || text[at + field.size()] != '='))
    at = text.find(field, at + 1);
  if (at == text.npos) return attribute.span;
  at += field.size() + 1;
  const std::size_t end = std::min(text.find_first_of(" ,}", at), text.size());
  for (; nth > 0; --nth) {
    at = text.find('x', at);
    if (at >= end) return attribute.span;
    ++at;
  }
  const auto offset = attribute.span.begin;
  return {static_cast<std::uint32_t>(offset + at),
          static_cast<std::uint32_t>(offset + std::min(text.find('x', at), end))};
}

// Notes that the attribute is read.
const Instruction& OpReader::noted(std::string_view key) const {
  const Attribute* const attribute = instruction_.attribute(key);
  const auto nth = attribute == nullptr ? 64 : attribute - instruction_.attributes.data();
  if (nth < 64) read_ |= std::uint64_t{1} << nth;
  return instruction_;
}

Problem OpReader::wrong(Code code, std::string message, Span span, std::string help) const {
  return Diagnostic{.code = code, .message = std::move(message), .span = span, .help = std::move(help)};
}

Span OpReader::type_span() const {
  // The type is between '=' and the opcode; a name contains no '='.
  if (instruction_.opcode_text.empty()) return instruction_.span;
  const char* const opcode = instruction_.opcode_text.data();
  const auto length = instruction_.opcode_span.begin - instruction_.span.begin;
  std::string_view before(opcode - length, length);
  const std::size_t equals = before.find('=');
  std::size_t begin = equals == std::string_view::npos ? 0 : equals + 1;
  while (begin < before.size() && (before[begin] == ' ' || before[begin] == '\n')) ++begin;
  while (before.size() > begin && (before.back() == ' ' || before.back() == '\n')) before.remove_suffix(1);
  if (begin >= before.size()) return instruction_.opcode_span;
  return {static_cast<std::uint32_t>(instruction_.span.begin + begin),
          static_cast<std::uint32_t>(instruction_.span.begin + before.size())};
}

Problem OpReader::wrong_type(Code code, std::string message, std::string help) const {
  return wrong(code, std::move(message), type_span(), std::move(help));
}

Problem OpReader::wrong_operand(Code code, std::size_t i, std::string message, std::string help) const {
  return wrong(code, std::move(message), instruction_.operands[i].span, std::move(help));
}

Problem OpReader::wrong_attribute(Code code, std::string_view key, std::string message,
                                  std::string help) const {
  const Attribute* attribute = instruction_.attribute(key);
  return wrong(code, std::move(message), attribute == nullptr ? instruction_.opcode_span : attribute->span,
               std::move(help));
}

Problem OpReader::operand_count_is(std::size_t count) const { return operand_count_is(count, count); }

Problem OpReader::operand_count_is(std::size_t low, std::size_t high) const {
  const std::size_t count = operand_count();
  if (count >= low && count <= high) return std::nullopt;
  const std::string wanted = low == high   ? plural(low, "operand")
                             : count < low ? fmt::format("at least {}", plural(low, "operand"))
                                           : fmt::format("at most {}", plural(high, "operand"));
  std::string form;
  for (std::size_t i = 0; i < low; ++i)
    form += fmt::format("{}{}", i == 0 ? "" : ", ", static_cast<char>('a' + i));
  return wrong(
      Code::operand_count, fmt::format("{} needs {}, not {}", instruction_.opcode_text, wanted, count),
      instruction_.opcode_span,
      low < 6
          ? fmt::format("the form is {}({}{})", instruction_.opcode_text, form, low == high ? "" : ", ...")
          : "");
}

Problem OpReader::operands_are_arrays(std::size_t from, std::size_t to) const {
  for (std::size_t i = from; i < std::min(to, operand_count()); ++i) {
    if (!operand(i).is_array()) {
      return wrong_operand(Code::shape_mismatch, i,
                           fmt::format("operand {} of {} must be an array, but it is {}", i,
                                       instruction_.opcode_text, short_text(operand(i))),
                           operand(i).is_tuple() ? "take an element: get-tuple-element(t), index=0" : "");
    }
  }
  return std::nullopt;
}

Problem OpReader::operand_dims_are(std::size_t i, std::span<const Index> dims, std::string_view why) const {
  if (std::ranges::equal(operand(i).dims(), dims)) return std::nullopt;
  return wrong_operand(
      Code::shape_mismatch, i,
      fmt::format("operand {} of {} has dimensions {}, but {} {}", i, instruction_.opcode_text,
                  dims_text(operand(i).dims()), why, dims_text(dims)));
}

Problem OpReader::operand_is_scalar(std::size_t i, std::string_view what) const {
  if (operand(i).is_array() && operand(i).rank() == 0) return std::nullopt;
  return wrong_operand(Code::shape_mismatch, i,
                       fmt::format("{} of {} must be a scalar, but it is {}", what, instruction_.opcode_text,
                                   short_text(operand(i))));
}

Problem OpReader::operand_is_token(std::size_t i) const {
  if (operand(i).is_token()) return std::nullopt;
  return wrong_operand(Code::shape_mismatch, i,
                       fmt::format("operand {} of {} must be a token, but it is {}", i,
                                   instruction_.opcode_text, short_text(operand(i))),
                       "after-all() makes a token");
}

Problem OpReader::one_dimension(std::span<const Index> dims) const {
  if (dims.size() == 1) return std::nullopt;
  return wrong_attribute(
      Code::bad_attribute, "dimensions",
      fmt::format("{} takes one dimension, not {}", instruction_.opcode_text, dims.size()));
}

Problem OpReader::distinct_dims(const Attribute* attribute, std::span<const Index> dims,
                                std::size_t rank) const {
  const auto span = [&](std::size_t i) {
    return attribute == nullptr ? instruction_.opcode_span : integer_span(*attribute, i);
  };
  const std::string_view key = attribute == nullptr ? std::string_view("dimensions") : attribute->key;
  std::vector<bool> seen(rank);
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const Index dim = dims[i];
    if (dim < 0 || dim >= static_cast<Index>(rank)) {
      return wrong(
          Code::dim_out_of_range,
          fmt::format("'{}' names dimension {} of an array with {}", key, dim, plural(rank, "dimension")),
          span(i), rank == 0 ? "" : fmt::format("dimensions count from 0: the last one is {}", rank - 1));
    }
    if (seen[static_cast<std::size_t>(dim)]) {
      return wrong(Code::bad_permutation, fmt::format("'{}' has dimension {} twice", key, dim), span(i),
                   "list each dimension once");
    }
    seen[static_cast<std::size_t>(dim)] = true;
  }
  return std::nullopt;
}

Problem OpReader::gives(DType dtype, std::span<const Index> dims) const {
  if (missing_ != nullptr || !instruction_.type.is_array()) {
    return gives(HloType(TensorType{.dtype = dtype, .dims = copied(dims)}));
  }
  const TensorType& type = instruction_.type.array();
  if (!same_element_type(type.dtype, dtype)) {
    return wrong_type(Code::shape_mismatch,
                      fmt::format("{} of these operands gives elements of {}, but the written type is {}",
                                  instruction_.opcode_text, to_string(dtype), to_string(type.dtype)));
  }
  return gives_dims(dims);
}

Problem OpReader::gives_dims(std::span<const Index> dims) const {
  if (missing_ != nullptr) return must_be_written();
  if (!instruction_.type.is_array()) {
    return wrong_type(Code::shape_mismatch,
                      fmt::format("{} gives an array, but the written type is {}", instruction_.opcode_text,
                                  short_text(instruction_.type)));
  }
  const TensorType& type = instruction_.type.array();
  if (std::ranges::equal(type.dims, dims)) return std::nullopt;
  return wrong_type(Code::shape_mismatch,
                    fmt::format("{} gives dimensions {}, but the written type is {}",
                                instruction_.opcode_text, dims_text(dims), dims_text(type.dims)));
}

Problem OpReader::gives(HloType type) const {
  if (missing_ != nullptr) {
    *missing_ = std::move(type);
    return std::nullopt;
  }
  if (compatible(type, instruction_.type)) return std::nullopt;
  return wrong_type(Code::shape_mismatch,
                    fmt::format("{} gives {}, but the written type is {}", instruction_.opcode_text,
                                short_text(type), short_text(instruction_.type)));
}

Problem OpReader::must_be_written() const {
  if (missing_ == nullptr) return std::nullopt;
  return wrong(Code::syntax,
               fmt::format("the type of {} must be written: it does not follow from the operands",
                           instruction_.opcode_text),
               instruction_.opcode_span,
               fmt::format("write 'name = f32[...] {}(...)'", instruction_.opcode_text));
}

Problem gives_operands(const OpReader& reader, std::size_t count) {
  if (count == 1) return reader.gives(reader.operand(0));
  std::vector<HloType> types;
  for (std::size_t i = 0; i < count; ++i) types.push_back(reader.operand(i));
  return reader.gives(HloType::tuple(std::move(types)));
}

}  // namespace tessera::detail
