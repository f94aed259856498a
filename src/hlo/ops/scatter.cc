// SPDX-License-Identifier: Apache-2.0
/// \file
/// scatter(operands..., indices, updates...): windows of the operands at starts given by index vectors. A
/// window that is not entirely inside is dropped.
#include <algorithm>
#include <utility>

#include "hlo/ops/fold_runtime.h"
#include "hlo/ops/indexed_windows.h"
#include "hlo/ops/reducer.h"
#include "hlo/syntax/attributes.h"

namespace tessera::detail {
namespace {

constexpr const char* kWhichUpdates = "which updates reach an element is data dependent";
constexpr const char* kWhichOrder = "which updates reach the element, and in which order, is data dependent";
constexpr const char* kReplaced = "an update may replace the element";
constexpr const char* kOtherValue = "used only where an update reaches the element";
constexpr const char* kMayIgnore = "the scatter's function may not use the element";
constexpr const char* kReplacedUpdate = "a later update of the same element may replace it";
constexpr const char* kIgnoredUpdate = "the scatter's function does not use this update";
constexpr const char* kMayIgnoreUpdate = "the scatter's function may not use this update";
constexpr const char* kAnyIndex = "any index may select the element";

struct ScatterOp {
  std::size_t count;  // of operands, and of updates
  Windows windows;
  bool unique;
  const Operand& indices;
};

Result<ScatterOp> read_scatter(const OpQuery& q) {
  static constexpr WindowNames kNames{"update_window_dims", "inserted_window_dims", "input_batching_dims",
                                      "scatter_indices_batching_dims", "scatter_dims_to_operand_dims"};
  if (q.op.operands.size() % 2 == 0)
    return fail(Code::operand_count, "scatter needs indices and as many updates as inputs");
  const std::size_t count = q.op.operands.size() / 2;
  auto windows = read_windows(q, kNames, q.out(), q.dims_of(count), q.dims_of(count + 1), {});
  if (!windows) return Failure(windows.error());
  windows->clamped = false;
  const auto unique = bool_of(q.op, "unique_indices", false);
  if (!unique) return Failure(unique.error());
  return ScatterOp{count, std::move(*windows), *unique, q.op.operands[count]};
}

// Operands: their elements stay in place.
IndexingSet own_elements(const OpQuery& q, const ScatterOp& s) {
  if (!std::ranges::equal(q.in(), q.out())) return bad_shape(q);
  const ReducerUse use =
      reducer_use(called_by(q.op, "to_apply"), {.count = s.count, .output = q.output, .input = q.operand});
  const bool own = q.operand == q.output;
  if (!use.may_running && !own) return {};
  // The result has each element that no update reaches unchanged; for the others, the element is an argument
  // of the function.
  if (s.unique && use.running && own) return just(identity_indexing(q.out()));
  const char* const reason = use.running && own ? kWhichOrder
                             : use.running      ? kOtherValue
                             : use.may_running  ? kMayIgnore
                                                : kReplaced;
  return just(as_superset(identity_indexing(q.out()), reason));
}

// The output depends on an update if the function uses it and later applications at the same element keep
// the result.
IndexingSet updates(const OpQuery& q, const ScatterOp& s, std::size_t update, Indexing indexing) {
  const Computation* function = called_by(q.op, "to_apply");
  const ReducerUse use = reducer_use(function, {.count = s.count, .output = q.output, .input = update});
  if (!use.may_fresh && update != q.output) return {};
  const ReducerUse earlier = reducer_use(function, {.count = s.count, .output = q.output, .input = q.output});
  if (use.fresh && (s.unique || earlier.running)) return just(std::move(indexing));
  // Windows of one element at unique positions: each element has at most one update.
  const bool single = s.unique && std::ranges::all_of(s.windows.size, [](Index n) { return n == 1; });
  if (use.once && single) return just(std::move(indexing));
  const char* const reason = !use.may_fresh                     ? kIgnoredUpdate
                             : use.once && !earlier.may_running ? kReplacedUpdate
                                                                : kMayIgnoreUpdate;
  return just(as_superset(std::move(indexing), reason));
}

IndexingSet scatter_to_input(const OpQuery& q) {
  const auto s = read_scatter(q);
  if (!s) return unknown_set(s.error());
  if (q.operand < s->count) return own_elements(q, *s);
  if (q.operand == s->count) return just(as_superset(whole_indexing(q.out(), q.in()), kAnyIndex));
  Indexing indexing = fold_starts(operand_to_spread(s->windows, s->indices));
  if (!indexing.runtime.empty() && !indexing.map.known_empty()) return unknown_set(kWhichUpdates);
  return updates(q, *s, q.operand - s->count - 1, std::move(indexing));
}

// Each index vector places a window. The map is that of an update, with the dimensions of the window as range
// variables.
Indexing index_to_output(const ScatterOp& s) {
  const Windows& w = s.windows;
  MapBuilder map(w.indices);
  std::vector<Expr> batch, of_spread(w.spread.size());
  for (std::size_t k = 0; k < w.batch_dims.size(); ++k) {
    batch.push_back(map.dim(w.scalar_indices() || k < as_size(w.vector_dim) ? k : k + 1));
    of_spread[as_size(w.batch_dims[k])] = batch.back();
  }
  std::vector<Expr> window(w.operand.size());
  for (std::size_t i = 0; i < w.operand.size(); ++i) {
    if (w.window_dim[i] != kNoDim) window[i] = map.range(w.size[i]);
  }
  std::vector<Expr> results = declare_starts(map, w, s.indices, batch);
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i] = window[i] + results[i];
    if (w.batch_dim[i] != kNoDim) results[i] = results[i] + of_spread[as_size(w.batch_dim[i])];
  }
  return std::move(map).build(std::move(results));
}

IndexingSet scatter_to_output(const OpQuery& q) {
  const auto s = read_scatter(q);
  if (!s) return unknown_set(s.error());
  if (q.operand < s->count) return own_elements(q, *s);
  if (q.operand == s->count) return updates(q, *s, q.output, fold_starts(index_to_output(*s)));
  return updates(q, *s, q.operand - s->count - 1, fold_starts(spread_to_operand(s->windows, s->indices)));
}

}  // namespace

constinit const OpRule kScatterRule{scatter_to_input, scatter_to_output};

}  // namespace tessera::detail
