// SPDX-License-Identifier: Apache-2.0
/// \file
/// gather(operand, indices): windows of the operand at starts given by index vectors. The starts are clamped
/// so that the window stays inside.
#include <fmt/core.h>

#include "hlo/ops/fold_runtime.h"
#include "hlo/ops/indexed_windows.h"

namespace tessera::detail {
namespace {

constexpr WindowNames kGatherNames{"offset_dims", "collapsed_slice_dims", "operand_batching_dims",
                                   "start_indices_batching_dims", "start_index_map"};

struct GatherOp : OpValue {
  Windows windows;
};

Problem read_gather(const OpReader& reader, GatherOp& op) {
  TESSERA_RULE(reader.operand_count_is(2));
  TESSERA_RULE(reader.operands_are_arrays());
  Windows& w = op.windows;
  WindowRoles roles;
  TESSERA_RULE(read_roles(reader, kGatherNames, 1, roles, w));
  TESSERA_READ(sizes, reader.ints("slice_sizes"));
  if (sizes.size() != w.operand.size()) {
    return reader.wrong_attribute(
        Code::rank_mismatch, "slice_sizes",
        fmt::format("'slice_sizes' has {}, but the operand has {}", plural(sizes.size(), "entry"),
                    plural(w.operand.size(), "dimension")));
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 0 || sizes[i] > w.operand[i]) {
      return reader.wrong_attribute(Code::bad_attribute, "slice_sizes",
                                    fmt::format("slice size {} of dimension {} is not within its extent {}",
                                                sizes[i], i, w.operand[i]));
    }
    if (roles.missing[i] && sizes[i] > 1) {
      return reader.wrong_attribute(
          Code::bad_attribute, "slice_sizes",
          fmt::format("dimension {} is a collapsed or batch dimension, so its slice size must be 1, not {}",
                      i, sizes[i]));
    }
  }
  w.size = std::move(sizes);
  TESSERA_READ(offset_dims, reader.ints("offset_dims"));
  TESSERA_RULE(place_windows(reader, kGatherNames, offset_dims, roles, w));
  return reader.gives(reader.dtype(0), w.spread);
}

IndexingSet gather_to_input(const OpQuery& q, const GatherOp& op) {
  const Windows& w = op.windows;
  if (q.operand == 0) return just(known_starts(q, spread_to_operand(w, q.op.operands[1])));
  MapBuilder map(w.spread);
  std::vector<Expr> batch;
  for (const Index d : w.batch_dims) batch.push_back(map.dim(as_size(d)));
  const Expr component = w.scalar_indices() ? Expr() : map.range(w.indices[as_size(w.vector_dim)]);
  std::vector<Expr> results = index_element(w, batch, component);
  return just(std::move(map).build(std::move(results)));
}

IndexingSet gather_to_output(const OpQuery& q, const GatherOp& op) {
  const Windows& w = op.windows;
  if (q.operand == 0) return just(known_starts(q, operand_to_spread(w, q.op.operands[1])));
  MapBuilder map(w.indices);
  std::vector<Expr> results(w.spread.size());
  std::vector<bool> is_batch(w.spread.size(), false);
  for (std::size_t k = 0; k < w.batch_dims.size(); ++k) {
    is_batch[as_size(w.batch_dims[k])] = true;
    results[as_size(w.batch_dims[k])] = map.dim(w.scalar_indices() || k < as_size(w.vector_dim) ? k : k + 1);
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!is_batch[i]) results[i] = map.range(w.spread[i]);
  }
  return just(std::move(map).build(std::move(results)));
}

}  // namespace

constinit const OpRule kGatherRule = family_rule<GatherOp, read_gather, gather_to_input, gather_to_output>();

}  // namespace tessera::detail
