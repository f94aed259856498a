// SPDX-License-Identifier: Apache-2.0
/// \file
/// reduce: inputs, then as many initial values; each output has the dimensions that are not reduced.
#include <algorithm>

#include "hlo/ops/reducer.h"
#include "hlo/ops/rule.h"
#include "hlo/syntax/attributes.h"

namespace tessera::detail {

namespace {

// Reads which dimensions are reduced; false if `dimensions` does not match the shapes.
bool read_reduced(const OpQuery& q, std::span<const Index> in, std::span<const Index> out,
                  std::vector<bool>& reduced, IndexingSet& failure) {
  const auto dims = ints_of(q.op, "dimensions");
  if (!dims) {
    failure = unknown_set(dims.error());
    return false;
  }
  reduced.assign(in.size(), false);
  bool matches = dims->size() + out.size() == in.size();
  for (const Index d : *dims) {
    matches = matches && 0 <= d && d < static_cast<Index>(in.size()) && !reduced[static_cast<std::size_t>(d)];
    if (matches) reduced[static_cast<std::size_t>(d)] = true;
  }
  for (std::size_t i = 0, o = 0; matches && i < in.size(); ++i) {
    if (!reduced[i]) matches = in[i] == out[o++];
  }
  if (!matches) failure = bad_shape(q);
  return matches;
}

// Whether the operand is an initial value of another output and the inputs are empty: the function never
// runs, so the output does not depend on it.
bool never_mixed(const OpQuery& q, std::size_t count) {
  return q.operand >= count && q.operand - count != q.output &&
         std::ranges::find(q.dims_of(0), 0) != q.dims_of(0).end();
}

IndexingSet reduce_to_input(const OpQuery& q) {
  const std::size_t count = q.op.operands.size() / 2;
  if (never_mixed(q, count)) return {};
  if (q.operand >= count) return just(mixed_by_reducer(q, count, scalar_indexing(q.out())));
  const auto in = q.in();
  std::vector<bool> reduced;
  IndexingSet failure;
  if (!read_reduced(q, in, q.out(), reduced, failure)) return failure;
  MapBuilder map(q.out());
  std::vector<Expr> results;
  results.reserve(in.size());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < in.size(); ++i)
    results.push_back(reduced[i] ? map.range(in[i]) : map.dim(kept++));
  return just(mixed_by_reducer(q, count, std::move(map).build(std::move(results))));
}

IndexingSet reduce_to_output(const OpQuery& q) {
  const std::size_t count = q.op.operands.size() / 2;
  if (never_mixed(q, count)) return {};
  if (q.operand >= count) return just(mixed_by_reducer(q, count, whole_indexing(q.in(), q.out())));
  std::vector<bool> reduced;
  IndexingSet failure;
  if (!read_reduced(q, q.in(), q.out(), reduced, failure)) return failure;
  MapBuilder map(q.in());
  std::vector<Expr> results;
  results.reserve(q.out().size());
  for (std::size_t i = 0; i < reduced.size(); ++i) {
    if (!reduced[i]) results.push_back(map.dim(i));
  }
  return just(mixed_by_reducer(q, count, std::move(map).build(std::move(results))));
}

}  // namespace

constinit const OpRule kReduceRule{reduce_to_input, reduce_to_output};

}  // namespace tessera::detail
