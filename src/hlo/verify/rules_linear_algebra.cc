// SPDX-License-Identifier: Apache-2.0
// Library operations: fft, cholesky, triangular-solve, batch-norm.
#include <fmt/core.h>

#include <algorithm>

#include "hlo/verify/rules.h"
#include "hlo/verify/types.h"

namespace tessera::detail {
namespace {

std::vector<Index> dims_of(std::span<const Index> dims) { return {dims.begin(), dims.end()}; }

// Finds the element type of the result: complex, except for IRFFT.
Problem fft_elements(const Rule& rule, std::string_view type, DType& result) {
  const DType from = rule.dtype(0);
  const bool wide = from == DType::f64 || from == DType::c128;
  if (type == "RFFT") {
    if (from != DType::f32 && from != DType::f64) {
      return rule.wrong_operand(Code::shape_mismatch, 0,
                                fmt::format("RFFT transforms real numbers, f32 or f64, but operand 0 is {}",
                                            short_text(rule.operand(0))),
                                "convert the operand; FFT transforms complex numbers");
    }
    result = wide ? DType::c128 : DType::c64;
    return std::nullopt;
  }
  if (dtype_class(from) != DTypeClass::complex) {
    return rule.wrong_operand(
        Code::shape_mismatch, 0,
        fmt::format("{} transforms complex numbers, but operand 0 is {}", type, short_text(rule.operand(0))),
        "RFFT transforms real numbers; complex(re, im) makes complex numbers");
  }
  result = type != "IRFFT" ? from : wide ? DType::f64 : DType::f32;
  return std::nullopt;
}

Problem check_fft(const Rule& rule) {
  TESSERA_RULE(rule.operand_count_is(1));
  TESSERA_RULE(rule.operands_are_arrays());
  TESSERA_READ(lengths, ints_of(rule.instruction(), "fft_length"));
  const auto from = rule.dims(0);
  if (lengths.empty() || lengths.size() > from.size()) {
    return rule.wrong_attribute(
        Code::rank_mismatch, "fft_length",
        fmt::format("'fft_length' has {}, but the operand has {}", plural(lengths.size(), "entry"),
                    plural(from.size(), "dimension")));
  }
  if (lengths.size() > 3) {
    return rule.wrong_attribute(Code::rank_mismatch, "fft_length",
                                fmt::format("fft transforms 1 to 3 dimensions, not {}", lengths.size()));
  }
  const Attribute* type = rule.instruction().attribute("fft_type");
  if (type == nullptr) return rule.wrong(Code::missing_attribute, "fft needs the attribute 'fft_type'");
  static constexpr std::string_view kTypes[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
  if (std::ranges::find(kTypes, type->value) == std::end(kTypes)) {
    return rule.wrong_attribute(
        Code::bad_attribute, "fft_type",
        fmt::format("fft_type '{}' is not one of FFT, IFFT, RFFT, IRFFT", type->value));
  }
  DType dtype = rule.dtype(0);
  TESSERA_RULE(fft_elements(rule, type->value, dtype));
  const bool to_half = type->value == "RFFT";
  const bool from_half = type->value == "IRFFT";
  std::vector<Index> dims = dims_of(from);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const std::size_t dim = from.size() - lengths.size() + i;
    const bool last = i + 1 == lengths.size();
    const Index wanted = from_half && last ? lengths[i] / 2 + 1 : lengths[i];
    if (lengths[i] < 0 || from[dim] != (lengths[i] == 0 ? 0 : wanted)) {
      return rule.wrong_attribute(
          Code::shape_mismatch, "fft_length",
          fmt::format("fft_length {} needs extent {} in dimension {} of the operand, but it is {}",
                      lengths[i], wanted, dim, from[dim]));
    }
    if (last && to_half) dims[dim] = lengths[i] == 0 ? 0 : lengths[i] / 2 + 1;
    if (last && from_half) dims[dim] = lengths[i];
  }
  return rule.gives(dtype, std::move(dims));
}

Problem check_square(const Rule& rule) {
  const auto dims = rule.dims(0);
  if (dims.size() >= 2 && dims[dims.size() - 1] == dims[dims.size() - 2]) return std::nullopt;
  return rule.wrong_operand(Code::shape_mismatch, 0,
                            fmt::format("{} needs square matrices in the last two dimensions, not {}",
                                        rule.instruction().opcode_text, dims_text(dims)),
                            "slice or pad the operand until both have one extent");
}

Problem check_cholesky(const Rule& rule) {
  TESSERA_RULE(rule.operand_count_is(1));
  TESSERA_RULE(rule.operands_are_arrays());
  TESSERA_RULE(check_square(rule));
  return rule.gives(rule.dtype(0), dims_of(rule.dims(0)));
}

Problem check_triangular_solve(const Rule& rule) {
  TESSERA_RULE(rule.operand_count_is(2));
  TESSERA_RULE(rule.operands_are_arrays());
  TESSERA_RULE(check_square(rule));
  TESSERA_READ(left, bool_of(rule.instruction(), "left_side", false));
  const auto matrix = rule.dims(0);
  const auto side = rule.dims(1);
  const std::size_t rank = matrix.size();
  bool matches = side.size() == rank && std::ranges::equal(matrix.first(rank - 2), side.first(rank - 2));
  matches = matches && side[left ? rank - 2 : rank - 1] == matrix[rank - 1];
  if (!matches) {
    return rule.wrong_operand(Code::shape_mismatch, 1,
                              fmt::format("right side {} does not fit matrices {} with left_side={}",
                                          dims_text(side), dims_text(matrix), left));
  }
  return rule.gives(rule.dtype(1), dims_of(side));
}

Problem check_batch_norm(const Rule& rule) {
  const Opcode opcode = rule.instruction().opcode;
  TESSERA_RULE(rule.operand_count_is(opcode == Opcode::batch_norm_training ? 3 : 5));
  TESSERA_RULE(rule.operands_are_arrays());
  TESSERA_READ(feature, int_of(rule.instruction(), "feature_index"));
  TESSERA_RULE(rule.distinct_dims(rule.instruction().attribute("feature_index"), std::span(&feature, 1),
                                  rule.dims(0).size()));
  const std::vector<Index> features{rule.dims(0)[static_cast<std::size_t>(feature)]};
  for (std::size_t i = 1; i < rule.operand_count(); ++i) {
    const bool whole = opcode == Opcode::batch_norm_grad && i == 4;
    TESSERA_RULE(rule.operand_dims_are(i, whole ? rule.dims(0) : std::span<const Index>(features),
                                       whole ? "operand 0 has" : "one value for each feature is"));
  }
  if (opcode == Opcode::batch_norm_inference) return rule.gives(rule.dtype(0), dims_of(rule.dims(0)));
  const HloType per_feature(TensorType{.dtype = rule.dtype(1), .dims = features});
  return rule.gives(HloType::tuple({rule.operand(0), per_feature, per_feature}));
}

}  // namespace

Problem check_linear_algebra(const Rule& rule) {
  switch (rule.instruction().opcode) {
    case Opcode::fft:
      return check_fft(rule);
    case Opcode::cholesky:
      return check_cholesky(rule);
    case Opcode::triangular_solve:
      return check_triangular_solve(rule);
    default:
      return check_batch_norm(rule);
  }
}

}  // namespace tessera::detail
