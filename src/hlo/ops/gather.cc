// SPDX-License-Identifier: Apache-2.0
/// \file
/// gather(operand, indices): windows of the operand at starts given by index vectors. The starts are clamped
/// so that the window stays inside.
#include "hlo/ops/fold_runtime.h"
#include "hlo/ops/indexed_windows.h"
#include "hlo/syntax/attributes.h"

namespace tessera::detail {
namespace {

Result<Windows> gather_windows(const OpQuery& q) {
  static constexpr WindowNames kNames{"offset_dims", "collapsed_slice_dims", "operand_batching_dims",
                                      "start_indices_batching_dims", "start_index_map"};
  if (q.op.operands.size() != 2) return fail(Code::operand_count, "gather needs two operands");
  const auto sizes = ints_of(q.op, "slice_sizes");
  if (!sizes) return Failure(sizes.error());
  return read_windows(q, kNames, q.dims_of(0), q.dims_of(1), q.out(), *sizes);
}

IndexingSet gather_to_input(const OpQuery& q) {
  const auto w = gather_windows(q);
  if (!w) return unknown_set(w.error());
  if (q.operand == 0) return just(known_starts(q, spread_to_operand(*w, q.op.operands[1])));
  MapBuilder map(w->spread);
  std::vector<Expr> batch;
  for (const Index d : w->batch_dims) batch.push_back(map.dim(as_size(d)));
  const Expr component = w->scalar_indices() ? Expr() : map.range(w->indices[as_size(w->vector_dim)]);
  std::vector<Expr> results = index_element(*w, batch, component);
  return just(std::move(map).build(std::move(results)));
}

IndexingSet gather_to_output(const OpQuery& q) {
  const auto w = gather_windows(q);
  if (!w) return unknown_set(w.error());
  if (q.operand == 0) return just(known_starts(q, operand_to_spread(*w, q.op.operands[1])));
  MapBuilder map(w->indices);
  std::vector<Expr> results(w->spread.size());
  std::vector<bool> is_batch(w->spread.size(), false);
  for (std::size_t k = 0; k < w->batch_dims.size(); ++k) {
    is_batch[as_size(w->batch_dims[k])] = true;
    results[as_size(w->batch_dims[k])] =
        map.dim(w->scalar_indices() || k < as_size(w->vector_dim) ? k : k + 1);
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!is_batch[i]) results[i] = map.range(w->spread[i]);
  }
  return just(std::move(map).build(std::move(results)));
}

}  // namespace

constinit const OpRule kGatherRule{gather_to_input, gather_to_output};

}  // namespace tessera::detail
