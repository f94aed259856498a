// SPDX-License-Identifier: Apache-2.0
/// \file
/// fft, cholesky, triangular-solve: transforms of the last dimensions, batch by batch.
#include <algorithm>

#include "hlo/ops/rule.h"
#include "hlo/syntax/attributes.h"

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

bool same_batch(const OpQuery& q, std::size_t count) {
  const auto in = q.in();
  const auto out = q.out();
  return in.size() == out.size() && in.size() >= count &&
         std::ranges::equal(in.first(in.size() - count), out.first(out.size() - count));
}

IndexingSet fft(const OpQuery& q, std::span<const Index> from, std::span<const Index> to) {
  const auto length = ints_of(q.op, "fft_length");
  if (!length) return unknown_set(length.error());
  return same_batch(q, length->size()) ? last_dims_mixed(from, to, length->size()) : bad_shape(q);
}

IndexingSet fft_to_input(const OpQuery& q) { return fft(q, q.out(), q.in()); }
IndexingSet fft_to_output(const OpQuery& q) { return fft(q, q.in(), q.out()); }

IndexingSet weakened(IndexingSet set, const char* reason) {
  for (Indexing& one : set) one = as_superset(std::move(one), reason);
  return set;
}

IndexingSet cholesky(const OpQuery& q) {
  if (!same_batch(q, 2)) return bad_shape(q);
  return weakened(last_dims_mixed(q.out(), q.out(), 2),
                  "only the leading rows and columns matter; the whole matrix is included");
}

// triangular-solve(a, b): each column (left_side) or row of b is solved separately.

constexpr const char* kTriangle =
    "only one triangle matters; the whole matrix and whole vectors are included";

IndexingSet solve(const OpQuery& q, std::span<const Index> from, std::span<const Index> to) {
  if (q.op.operands.size() != 2) return bad_shape(q);
  const auto left = bool_of(q.op, "left_side", false);
  if (!left) return unknown_set(left.error());
  if (!same_batch(q, 2)) return bad_shape(q);
  if (q.operand == 0) return weakened(last_dims_mixed(from, to, 2), kTriangle);
  if (!std::ranges::equal(from, to)) return bad_shape(q);
  const std::size_t solved = *left ? from.size() - 2 : from.size() - 1;
  MapBuilder map(from);
  std::vector<Expr> results = map.dims();
  results[solved] = map.range(from[solved]);
  return weakened(just(std::move(map).build(std::move(results))), kTriangle);
}

IndexingSet solve_to_input(const OpQuery& q) { return solve(q, q.out(), q.in()); }
IndexingSet solve_to_output(const OpQuery& q) { return solve(q, q.in(), q.out()); }

}  // namespace

constinit const OpRule kFftRule{fft_to_input, fft_to_output};
constinit const OpRule kCholeskyRule{cholesky, cholesky};
constinit const OpRule kTriangularSolveRule{solve_to_input, solve_to_output};

}  // namespace tessera::detail
