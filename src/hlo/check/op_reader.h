// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads an instruction: its attributes, the types of its operands, and what is wrong with them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/plural.h"
#include "hlo/check/runtime_sizes.h"
#include "hlo/syntax/attributes.h"
#include "tessera/hlo/module.h"

namespace tessera::detail {

/// An error, or nothing.
using Problem = std::optional<Diagnostic>;

/// What an opcode's rule reads. The inferred type is compared with the written one or, if none is written,
/// becomes its type.
class OpReader {
 public:
  /// `missing`: receives the type of an instruction without one. `sizes`: names of runtime sizes.
  explicit OpReader(const Instruction& instruction, HloType* missing = nullptr,
                    const RuntimeSizes* sizes = nullptr)
      : instruction_(instruction), missing_(missing), sizes_(sizes) {}

  const Instruction& instruction() const { return instruction_; }
  std::size_t operand_count() const { return instruction_.operands.size(); }
  const HloType& operand(std::size_t i) const { return instruction_.operand_type(i); }
  std::span<const Index> dims(std::size_t i) const { return operand(i).dims(); }
  DType dtype(std::size_t i) const { return operand(i).array().dtype; }
  bool is_dynamic(std::size_t i, std::size_t dim) const {
    return operand(i).array().dim_kind(dim) != DimKind::fixed;
  }
  /// The runtime sizes of the dimensions of the result, then of each operand, as RuntimeSizes describes them:
  /// empty for fixed ones, and for parts of tuples. Nothing if sizes have no names.
  std::vector<std::vector<std::string>> size_names() const;
  /// The written type, or null.
  const HloType* written_type() const { return missing_ == nullptr ? &instruction_.type : nullptr; }

  // Attributes, as the functions of attributes.h read them.
  Result<std::vector<Index>> ints(std::string_view key) const { return ints_of(noted(key), key); }
  /// The list, empty if the attribute is absent.
  Result<std::vector<Index>> ints_or_none(std::string_view key) const { return ints_of(noted(key), key, {}); }
  Result<Index> integer(std::string_view key) const { return int_of(noted(key), key); }
  Result<Index> integer(std::string_view key, Index fallback) const {
    return int_of(noted(key), key, fallback);
  }
  Result<bool> flag(std::string_view key) const { return bool_of(noted(key), key, false); }
  Result<std::vector<SliceRange>> slice_ranges() const { return slice_ranges_of(noted("slice")); }
  Result<std::vector<PadRange>> padding() const { return padding_of(noted("padding")); }
  Result<ConvolutionDims> dim_labels() const { return dim_labels_of(noted("dim_labels")); }
  Result<std::vector<WindowDim>> window() const { return window_of(noted("window")); }
  Result<ReplicaGroups> replica_groups() const { return replica_groups_of(noted("replica_groups")); }
  Result<std::vector<SourceTarget>> source_target_pairs() const {
    return source_target_pairs_of(noted("source_target_pairs"));
  }
  bool has(std::string_view key) const { return instruction_.attribute(key) != nullptr; }
  /// Whether one of the functions above read attribute `nth` of the instruction, so that its form is right.
  bool has_read(std::size_t nth) const { return nth < 64 && ((read_ >> nth) & 1) != 0; }

  // Conditions. Each returns the problem, or nothing.
  Problem operand_count_is(std::size_t count) const;
  Problem operand_count_is(std::size_t low, std::size_t high) const;
  Problem operands_are_arrays(std::size_t from = 0, std::size_t to = static_cast<std::size_t>(-1)) const;
  /// Operand `i` has exactly these dimensions.
  Problem operand_dims_are(std::size_t i, std::span<const Index> dims, std::string_view why) const;
  Problem operand_is_scalar(std::size_t i, std::string_view what) const;
  Problem operand_is_token(std::size_t i) const;
  /// `dims`, from the attribute `dimensions`, has one entry.
  Problem one_dimension(std::span<const Index> dims) const;
  /// `dims` are distinct numbers in [0, rank).
  Problem distinct_dims(const Attribute* attribute, std::span<const Index> dims, std::size_t rank) const;

  /// The instruction has this type: a written type must be compatible with it. All floating-point element
  /// types are compatible, because programs mix their widths.
  Problem gives(DType dtype, std::span<const Index> dims) const;
  Problem gives(HloType type) const;
  /// Like `gives`, with the written element type.
  Problem gives_dims(std::span<const Index> dims) const;
  /// The type cannot be inferred, so it must be written.
  Problem must_be_written() const;

  // Problems.
  Problem wrong(Code code, std::string message, Span span, std::string help = {}) const;
  Problem wrong(Code code, std::string message) const {
    return wrong(code, std::move(message), instruction_.opcode_span);
  }
  Problem wrong_type(Code code, std::string message, std::string help = {}) const;
  Problem wrong_operand(Code code, std::size_t i, std::string message, std::string help = {}) const;
  Problem wrong_attribute(Code code, std::string_view key, std::string message, std::string help = {}) const;
  /// The place of the written type.
  Span type_span() const;

 private:
  const Instruction& noted(std::string_view key) const;

  const Instruction& instruction_;
  HloType* missing_;
  const RuntimeSizes* sizes_;
  mutable std::uint64_t read_ = 0;
};

/// The type is that of the first `count` operands, in a tuple if there are several.
Problem gives_operands(const OpReader& reader, std::size_t count);

/// A copy: the result has the dimensions of an operand.
inline std::vector<Index> copied(std::span<const Index> dims) { return {dims.begin(), dims.end()}; }

/// The place of the `nth` integer of a list or a list of lists; the whole value for other forms.
Span integer_span(const Attribute& attribute, std::size_t nth);

/// The place of entry `nth` of a window field, such as the 3 of `size` in {size=1x3 pad=0_0x1_1}; the whole
/// value if it is not written.
Span window_span(const Instruction& instruction, std::string_view field, std::size_t nth);

/// `[2,3]`
std::string dims_text(std::span<const Index> dims);

}  // namespace tessera::detail

/// Returns the problem, if there is one.
#define TESSERA_RULE(condition)                                     \
  do {                                                              \
    if (auto tessera_problem = (condition)) return tessera_problem; \
  } while (false)

/// Declares `name` as the value of a Result, or returns its diagnostic.
#define TESSERA_READ(name, result)                             \
  auto name##_result = (result);                               \
  if (!name##_result) return std::move(name##_result).error(); \
  auto& name = *name##_result
