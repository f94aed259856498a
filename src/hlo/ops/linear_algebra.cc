// SPDX-License-Identifier: Apache-2.0
/// \file
/// fft, cholesky, triangular-solve: transforms of the last dimensions, batch by batch.
#include <fmt/core.h>

#include <algorithm>

#include "hlo/check/types.h"
#include "hlo/ops/rule.h"
#include "hlo/ops/values.h"

namespace tessera::detail {
namespace {

// The leading dimensions are equal; the last `count` range over all indices of those of `target`.
IndexingSet last_dims_mixed(std::span<const Index> extents, std::span<const Index> target,
                            std::size_t count) {
  MapBuilder map(extents);
  std::vector<Expr> results;
  results.reserve(target.size());
  for (std::size_t i = 0; i < target.size(); ++i) {
    results.push_back(i + count < target.size() ? map.dim(i) : map.range(target[i]));
  }
  return just(std::move(map).build(std::move(results)));
}

struct FftOp : OpValue {
  std::size_t transformed = 1;  // dimensions, the last ones
};

// Finds the element type of the result: complex, except for IRFFT.
Problem fft_elements(const OpReader& reader, std::string_view type, DType& result) {
  const DType from = reader.dtype(0);
  const bool wide = from == DType::f64 || from == DType::c128;
  if (type == "RFFT") {
    if (from != DType::f32 && from != DType::f64) {
      return reader.wrong_operand(Code::shape_mismatch, 0,
                                  fmt::format("RFFT transforms real numbers, f32 or f64, but operand 0 is {}",
                                              short_text(reader.operand(0))),
                                  "convert the operand; FFT transforms complex numbers");
    }
    result = wide ? DType::c128 : DType::c64;
    return std::nullopt;
  }
  if (dtype_class(from) != DTypeClass::complex) {
    return reader.wrong_operand(Code::shape_mismatch, 0,
                                fmt::format("{} transforms complex numbers, but operand 0 is {}", type,
                                            short_text(reader.operand(0))),
                                "RFFT transforms real numbers; complex(re, im) makes complex numbers");
  }
  result = type != "IRFFT" ? from : wide ? DType::f64 : DType::f32;
  return std::nullopt;
}

Problem read_fft(const OpReader& reader, FftOp& op) {
  TESSERA_RULE(reader.operand_count_is(1));
  TESSERA_RULE(reader.operands_are_arrays());
  TESSERA_READ(lengths, reader.ints("fft_length"));
  const auto from = reader.dims(0);
  if (lengths.empty() || lengths.size() > from.size()) {
    return reader.wrong_attribute(
        Code::rank_mismatch, "fft_length",
        fmt::format("'fft_length' has {}, but the operand has {}", plural(lengths.size(), "entry"),
                    plural(from.size(), "dimension")));
  }
  if (lengths.size() > 3) {
    return reader.wrong_attribute(Code::rank_mismatch, "fft_length",
                                  fmt::format("fft transforms 1 to 3 dimensions, not {}", lengths.size()));
  }
  const Attribute* type = reader.instruction().attribute("fft_type");
  if (type == nullptr) return reader.wrong(Code::missing_attribute, "fft needs the attribute 'fft_type'");
  static constexpr std::string_view kTypes[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
  if (std::ranges::find(kTypes, type->value) == std::end(kTypes)) {
    return reader.wrong_attribute(
        Code::bad_attribute, "fft_type",
        fmt::format("fft_type '{}' is not one of FFT, IFFT, RFFT, IRFFT", type->value));
  }
  DType dtype = reader.dtype(0);
  TESSERA_RULE(fft_elements(reader, type->value, dtype));
  const bool to_half = type->value == "RFFT";
  const bool from_half = type->value == "IRFFT";
  std::vector<Index> dims = copied(from);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const std::size_t dim = from.size() - lengths.size() + i;
    const bool last = i + 1 == lengths.size();
    const Index wanted = from_half && last ? lengths[i] / 2 + 1 : lengths[i];
    if (lengths[i] < 0 || from[dim] != (lengths[i] == 0 ? 0 : wanted)) {
      return reader.wrong_attribute(
          Code::shape_mismatch, "fft_length",
          fmt::format("fft_length {} needs extent {} in dimension {} of the operand, but it is {}",
                      lengths[i], wanted, dim, from[dim]));
    }
    if (last && to_half) dims[dim] = lengths[i] == 0 ? 0 : lengths[i] / 2 + 1;
    if (last && from_half) dims[dim] = lengths[i];
  }
  op.transformed = lengths.size();
  return reader.gives(dtype, dims);
}

IndexingSet fft_to_input(const OpQuery& q, const FftOp& op) {
  return last_dims_mixed(q.out(), q.in(), op.transformed);
}
IndexingSet fft_to_output(const OpQuery& q, const FftOp& op) {
  return last_dims_mixed(q.in(), q.out(), op.transformed);
}

Problem check_square(const OpReader& reader) {
  const auto dims = reader.dims(0);
  if (dims.size() >= 2 && dims[dims.size() - 1] == dims[dims.size() - 2]) return std::nullopt;
  return reader.wrong_operand(Code::shape_mismatch, 0,
                              fmt::format("{} needs square matrices in the last two dimensions, not {}",
                                          reader.instruction().opcode_text, dims_text(dims)),
                              "slice or pad the operand until both have one extent");
}

IndexingSet weakened(IndexingSet set, const char* reason) {
  for (Indexing& one : set) one = as_superset(std::move(one), reason);
  return set;
}

Problem read_cholesky(const OpReader& reader, MatrixOp&) {
  TESSERA_RULE(reader.operand_count_is(1));
  TESSERA_RULE(reader.operands_are_arrays());
  TESSERA_RULE(check_square(reader));
  return reader.gives(reader.dtype(0), reader.dims(0));
}

IndexingSet cholesky(const OpQuery& q, const MatrixOp&) {
  return weakened(last_dims_mixed(q.out(), q.out(), 2),
                  "only the leading rows and columns matter; the whole matrix is included");
}

// triangular-solve(a, b): each column (left_side) or row of b is solved separately.

constexpr const char* kTriangle =
    "only one triangle matters; the whole matrix and whole vectors are included";

Problem read_solve(const OpReader& reader, MatrixOp& op) {
  TESSERA_RULE(reader.operand_count_is(2));
  TESSERA_RULE(reader.operands_are_arrays());
  TESSERA_RULE(check_square(reader));
  TESSERA_READ(left, reader.flag("left_side"));
  TESSERA_READ(unit, reader.flag("unit_diagonal"));
  const auto matrix = reader.dims(0);
  const auto side = reader.dims(1);
  const std::size_t rank = matrix.size();
  bool matches = side.size() == rank && std::ranges::equal(matrix.first(rank - 2), side.first(rank - 2));
  matches = matches && side[left ? rank - 2 : rank - 1] == matrix[rank - 1];
  if (!matches) {
    return reader.wrong_operand(Code::shape_mismatch, 1,
                                fmt::format("right side {} does not fit matrices {} with left_side={}",
                                            dims_text(side), dims_text(matrix), left));
  }
  op.left_side = left;
  op.unit_diagonal = unit;
  return reader.gives(reader.dtype(1), side);
}

IndexingSet solve(const OpQuery& q, const MatrixOp& op, std::span<const Index> from,
                  std::span<const Index> to) {
  if (q.operand == 0) return weakened(last_dims_mixed(from, to, 2), kTriangle);
  const std::size_t solved = op.left_side ? from.size() - 2 : from.size() - 1;
  MapBuilder map(from);
  std::vector<Expr> results = map.dims();
  results[solved] = map.range(from[solved]);
  return weakened(just(std::move(map).build(std::move(results))), kTriangle);
}

IndexingSet solve_to_input(const OpQuery& q, const MatrixOp& op) { return solve(q, op, q.out(), q.in()); }
IndexingSet solve_to_output(const OpQuery& q, const MatrixOp& op) { return solve(q, op, q.in(), q.out()); }

}  // namespace

constinit const OpRule kFftRule = family_rule<FftOp, read_fft, fft_to_input, fft_to_output>();
constinit const OpRule kCholeskyRule = family_rule<MatrixOp, read_cholesky, cholesky, cholesky>();
constinit const OpRule kTriangularSolveRule =
    family_rule<MatrixOp, read_solve, solve_to_input, solve_to_output>();

}  // namespace tessera::detail
