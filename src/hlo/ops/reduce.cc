// SPDX-License-Identifier: Apache-2.0
/// \file
/// reduce: inputs, then as many initial values; each output has the dimensions that are not reduced.
#include <algorithm>
#include <utility>
#include <vector>

#include "hlo/check/functions.h"
#include "hlo/module/as_size.h"
#include "hlo/ops/reducer.h"
#include "hlo/ops/rule.h"

namespace tessera::detail {

namespace {

struct ReduceOp : OpValue {
  std::vector<bool> reduced;  // by input dimension
  bool may_be_empty = false;  // a reduced dimension is dynamic
  const Computation* function = nullptr;
};

Problem read_reduce(const OpReader& reader, ReduceOp& op) {
  TESSERA_RULE(check_inputs_and_inits(reader));
  TESSERA_READ(list, reader.ints("dimensions"));
  const auto from = reader.dims(0);
  TESSERA_RULE(reader.distinct_dims(reader.instruction().attribute("dimensions"), list, from.size()));
  TESSERA_RULE(check_reducer(reader, "to_apply", reader.operand_count() / 2));
  op.function = called_by(reader.instruction(), "to_apply");
  op.reduced.assign(from.size(), false);
  for (const Index dim : list) {
    op.reduced[as_size(dim)] = true;
    op.may_be_empty = op.may_be_empty || reader.is_dynamic(0, as_size(dim));
  }
  std::vector<Index> dims;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!op.reduced[i]) dims.push_back(from[i]);
  }
  return gives_for_each_input(reader, reader.operand_count() / 2, dims);
}

// Whether the operand is an initial value of another output and the inputs are empty: the function never
// runs, so the output does not depend on it.
bool never_mixed(const OpQuery& q, std::size_t count) {
  return q.operand >= count && q.operand - count != q.output &&
         std::ranges::find(q.dims_of(0), 0) != q.dims_of(0).end();
}

// `all`: each element of the output with the initial value.
IndexingSet from_initial_value(const OpQuery& q, const ReduceOp& op, std::size_t count, Indexing all) {
  all = mixed_by_reducer(q, op.function, std::move(all));
  if (op.may_be_empty && q.operand - count != q.output)
    all = as_superset(std::move(all), "a reduction of no elements does not read the other initial values");
  return just(std::move(all));
}

IndexingSet reduce_to_input(const OpQuery& q, const ReduceOp& op) {
  const std::size_t count = q.op.operands.size() / 2;
  if (never_mixed(q, count)) return {};
  if (q.operand >= count) return from_initial_value(q, op, count, scalar_indexing(q.out()));
  const auto in = q.in();
  MapBuilder map(q.out());
  std::vector<Expr> results;
  results.reserve(in.size());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < in.size(); ++i)
    results.push_back(op.reduced[i] ? map.range(in[i]) : map.dim(kept++));
  return just(mixed_by_reducer(q, op.function, std::move(map).build(std::move(results))));
}

IndexingSet reduce_to_output(const OpQuery& q, const ReduceOp& op) {
  const std::size_t count = q.op.operands.size() / 2;
  if (never_mixed(q, count)) return {};
  if (q.operand >= count) return from_initial_value(q, op, count, whole_indexing(q.in(), q.out()));
  MapBuilder map(q.in());
  std::vector<Expr> results;
  results.reserve(q.out().size());
  for (std::size_t i = 0; i < op.reduced.size(); ++i) {
    if (!op.reduced[i]) results.push_back(map.dim(i));
  }
  return just(mixed_by_reducer(q, op.function, std::move(map).build(std::move(results))));
}

}  // namespace

constinit const OpRule kReduceRule = family_rule<ReduceOp, read_reduce, reduce_to_input, reduce_to_output>();

}  // namespace tessera::detail
