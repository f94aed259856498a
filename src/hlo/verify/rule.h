// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the rules of the opcodes share: an instruction under inspection, and ways to say what is wrong with
/// it.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/plural.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/module.h"

namespace tessera::detail {

/// What is wrong, or nothing.
using Problem = std::optional<Diagnostic>;

/// An instruction whose rule is applied: its written type is compared with the one that follows, or, where
/// none is written, set to it.
class Rule {
 public:
  /// `missing`: receives the type of an instruction without one.
  explicit Rule(const Instruction& instruction, HloType* missing = nullptr)
      : instruction_(instruction), missing_(missing) {}

  const Instruction& instruction() const { return instruction_; }
  std::size_t operand_count() const { return instruction_.operands.size(); }
  const HloType& operand(std::size_t i) const { return instruction_.operand_type(i); }
  std::span<const Index> dims(std::size_t i) const { return operand(i).dims(); }
  DType dtype(std::size_t i) const { return operand(i).array().dtype; }
  /// The written type, or null.
  const HloType* written() const { return missing_ == nullptr ? &instruction_.type : nullptr; }

  // Conditions. Each gives the problem, or nothing.
  Problem operand_count_is(std::size_t count) const;
  Problem operand_count_is(std::size_t low, std::size_t high) const;
  Problem operands_are_arrays(std::size_t from = 0, std::size_t to = static_cast<std::size_t>(-1)) const;
  /// Operand `i` has exactly these dimensions.
  Problem operand_dims_are(std::size_t i, std::span<const Index> dims, std::string_view why) const;
  Problem operand_is_scalar(std::size_t i, std::string_view what) const;
  Problem operand_is_token(std::size_t i) const;
  /// `dims` are different numbers in [0, rank).
  Problem distinct_dims(const Attribute* attribute, std::span<const Index> dims, std::size_t rank) const;

  /// The type that follows from the rule; the written one must be compatible with it. Element types: both
  /// floating point is enough (programs mix their widths).
  Problem gives(DType dtype, std::vector<Index> dims) const;
  Problem gives(HloType type) const;
  /// Like `gives`, with the element type that is written.
  Problem gives_dims(std::vector<Index> dims) const;
  /// The type does not follow: it has to be written.
  Problem must_be_written() const;

  // Problems.
  Problem wrong(Code code, std::string message, Span span, std::string help = {}) const;
  Problem wrong(Code code, std::string message) const {
    return wrong(code, std::move(message), instruction_.opcode_span);
  }
  Problem wrong_type(Code code, std::string message, std::string help = {}) const;
  Problem wrong_operand(Code code, std::size_t i, std::string message, std::string help = {}) const;
  Problem wrong_attribute(Code code, std::string_view key, std::string message, std::string help = {}) const;
  /// Where the written type stands.
  Span type_span() const;

 private:
  const Instruction& instruction_;
  HloType* missing_;
};

/// Element types that may stand for each other in a rule.
bool same_element_type(DType a, DType b);

/// The rules, one function a family; each handles every opcode for which the dispatch in rules.cc calls it.
Problem check_elementwise(const Rule& rule);
Problem check_data_movement(const Rule& rule);
Problem check_dynamic(const Rule& rule);
Problem check_reduction(const Rule& rule);
Problem check_contraction(const Rule& rule);
Problem check_gather_scatter(const Rule& rule);
Problem check_linear_algebra(const Rule& rule);
Problem check_calls(const Rule& rule);
Problem check_collective(const Rule& rule);
Problem check_asynchronous(const Rule& rule);
Problem check_transfer(const Rule& rule);
Problem check_random(const Rule& rule);

/// The rule of the instruction's opcode.
Problem check_instruction(const Rule& rule);

/// Where the integer number `nth` of a list, or of a list of lists, stands; all of the value in other forms.
Span integer_span(const Attribute& attribute, std::size_t nth);

/// Where entry `nth` of a field of a window stands, of `size` the 3 in {size=1x3 pad=0_0x1_1}; all of the
/// value where it is not written.
Span window_span(const Instruction& instruction, std::string_view field, std::size_t nth);

/// `[2,3]`
std::string dims_text(std::span<const Index> dims);

}  // namespace tessera::detail

/// Leaves the function with the problem, if there is one.
#define TESSERA_RULE(condition)                                     \
  do {                                                              \
    if (auto tessera_problem = (condition)) return tessera_problem; \
  } while (false)

/// Declares `name` as the value of a Result, or leaves the function with its diagnostic.
#define TESSERA_READ(name, result)                             \
  auto name##_result = (result);                               \
  if (!name##_result) return std::move(name##_result).error(); \
  auto& name = *name##_result
