// SPDX-License-Identifier: Apache-2.0
/// \file
/// gather(operand, indices) and scatter(operands..., indices, updates...): windows of the operand at starts
/// given by an index vector. Gather clamps the starts so that the window stays inside; scatter drops a window
/// that is not entirely inside.
#include <algorithm>

#include "hlo/module/as_size.h"
#include "hlo/ops/fold_runtime.h"
#include "hlo/ops/reducer.h"
#include "hlo/ops/rule.h"
#include "tessera/hlo/attributes.h"
#include "tessera/map/simplify.h"

namespace tessera::detail {
namespace {

constexpr Index kNone = -1;

// The windows of a gather or scatter. The spread array (the result of a gather, the updates of a scatter) has
// the dimensions of the indices, except the index vector, and the dimensions of the windows.
struct Windows {
  std::span<const Index> operand;
  std::span<const Index> indices;
  std::span<const Index> spread;
  std::vector<Index> size = {};  // by operand dimension: the window's extent
  std::vector<Index> window_dim =
      {};  // by operand dimension: its dimension in the spread array; kNone if windows do not have it
  std::vector<Index> batch_dim = {};   // by operand dimension: the spread dimension that indexes it, or kNone
  std::vector<Index> component = {};   // by operand dimension: the component of the index vector, or kNone
  std::vector<Index> batch_dims = {};  // spread dimensions that index the indices, in order
  Index vector_dim = 0;  // dimension of the index vectors; the rank of the indices if they are scalars
  bool clamped = true;

  bool scalar_indices() const { return as_size(vector_dim) == indices.size(); }
};

struct Names {
  const char* windows;  // lists the spread dimensions of the windows
  const char* dropped;  // lists the operand dimensions that windows do not have
  const char* operand_batch;
  const char* indices_batch;
  const char* components;  // lists the operand dimension of each component
};

// `sizes`: the extents of a window by operand dimension; if empty, they are those of the spread array, and 1
// for dropped dimensions.
Result<Windows> read_windows(const OpQuery& q, const Names& names, std::span<const Index> operand,
                             std::span<const Index> indices, std::span<const Index> spread,
                             std::span<const Index> sizes) {
  const auto mismatch = [] {
    return fail(Code::shape_mismatch, "the dimension numbers do not match the shapes");
  };
  const auto window_dims = ints_of(q.op, names.windows);
  if (!window_dims) return Failure(window_dims.error());
  const auto dropped = ints_of(q.op, names.dropped, {});
  if (!dropped) return Failure(dropped.error());
  const auto operand_batch = ints_of(q.op, names.operand_batch, {});
  if (!operand_batch) return Failure(operand_batch.error());
  const auto indices_batch = ints_of(q.op, names.indices_batch, {});
  if (!indices_batch) return Failure(indices_batch.error());
  const auto components = ints_of(q.op, names.components);
  if (!components) return Failure(components.error());
  const auto vector_dim = int_of(q.op, "index_vector_dim");
  if (!vector_dim) return Failure(vector_dim.error());

  const std::size_t rank = operand.size();
  Windows w{.operand = operand, .indices = indices, .spread = spread, .vector_dim = *vector_dim};
  if (*vector_dim < 0 || as_size(*vector_dim) > indices.size()) return mismatch();
  w.size.assign(rank, 1);
  w.window_dim.assign(rank, kNone);
  w.batch_dim.assign(rank, kNone);
  w.component.assign(rank, kNone);

  std::vector<bool> is_window(spread.size(), false);
  for (const Index d : *window_dims) {
    if (d < 0 || as_size(d) >= spread.size() || is_window[as_size(d)]) return mismatch();
    is_window[as_size(d)] = true;
  }
  for (std::size_t i = 0; i < spread.size(); ++i) {
    if (!is_window[i]) w.batch_dims.push_back(static_cast<Index>(i));
  }
  if (w.batch_dims.size() != indices.size() - (w.scalar_indices() ? 0 : 1)) return mismatch();
  for (std::size_t k = 0; k < w.batch_dims.size(); ++k) {
    const std::size_t dim = w.scalar_indices() || k < as_size(*vector_dim) ? k : k + 1;
    if (indices[dim] != spread[as_size(w.batch_dims[k])]) return mismatch();
  }

  std::vector<bool> without_window(rank, false);
  for (const std::vector<Index>* list : {&*dropped, &*operand_batch}) {
    for (const Index d : *list) {
      if (d < 0 || as_size(d) >= rank || without_window[as_size(d)]) return mismatch();
      without_window[as_size(d)] = true;
    }
  }
  if (!sizes.empty() && sizes.size() != rank) return mismatch();
  std::size_t next = 0;
  for (std::size_t i = 0; i < rank; ++i) {
    if (!sizes.empty()) w.size[i] = sizes[i];
    if (!without_window[i]) {
      if (next == window_dims->size()) return mismatch();
      w.window_dim[i] = (*window_dims)[next++];
      const Index extent = spread[as_size(w.window_dim[i])];
      if (!sizes.empty() && extent != sizes[i]) return mismatch();
      w.size[i] = extent;
    }
    if (w.size[i] < 0 || w.size[i] > operand[i] || (without_window[i] && w.size[i] > 1)) return mismatch();
  }
  if (next != window_dims->size() || operand_batch->size() != indices_batch->size()) return mismatch();
  for (std::size_t k = 0; k < operand_batch->size(); ++k) {
    const Index d = (*indices_batch)[k];
    if (d < 0 || as_size(d) >= indices.size() || d == *vector_dim) return mismatch();
    w.batch_dim[as_size((*operand_batch)[k])] = w.batch_dims[as_size(d < *vector_dim ? d : d - 1)];
    if (indices[as_size(d)] != operand[as_size((*operand_batch)[k])]) return mismatch();
  }
  const Index length = w.scalar_indices() ? 1 : indices[as_size(*vector_dim)];
  if (static_cast<Index>(components->size()) != length) return mismatch();
  for (std::size_t p = 0; p < components->size(); ++p) {
    const Index d = (*components)[p];
    if (d < 0 || as_size(d) >= rank || w.component[as_size(d)] != kNone || w.batch_dim[as_size(d)] != kNone)
      return mismatch();
    w.component[as_size(d)] = static_cast<Index>(p);
  }
  return w;
}

// The index, in the array of indices, of component `p` at these batch coordinates.
std::vector<Expr> index_element(const Windows& w, std::span<const Expr> batch, Expr p) {
  std::vector<Expr> element(batch.begin(), batch.end());
  if (!w.scalar_indices()) element.insert(element.begin() + w.vector_dim, p);
  return element;
}

// Declares where windows start, by operand dimension; 0 if no component says so.
std::vector<Expr> declare_starts(MapBuilder& map, const Windows& w, const Operand& source,
                                 std::span<const Expr> batch) {
  std::vector<Expr> starts(w.operand.size());
  for (std::size_t i = 0; i < starts.size(); ++i) {
    if (w.component[i] == kNone) continue;
    // A window that is not entirely inside has no effect, so only starts inside matter.
    const Interval inside{0, w.operand[i] - w.size[i]};
    starts[i] = map.runtime(inside, w.clamped ? inside : Interval{}, source,
                            index_element(w, batch, Expr::constant(w.component[i])));
  }
  return starts;
}

// From an index of the spread array to the element of the operand.
Indexing spread_to_operand(const Windows& w, const Operand& indices) {
  MapBuilder map(w.spread);
  std::vector<Expr> batch;
  for (const Index d : w.batch_dims) batch.push_back(map.dim(as_size(d)));
  std::vector<Expr> results = declare_starts(map, w, indices, batch);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (w.size[i] == 0) map.nothing();
    if (w.window_dim[i] != kNone) results[i] = map.dim(as_size(w.window_dim[i])) + results[i];
    if (w.batch_dim[i] != kNone) results[i] = results[i] + map.dim(as_size(w.batch_dim[i]));
  }
  return std::move(map).build(std::move(results));
}

// From an index of the operand to the spread array: the element's place in every window that holds it.
Indexing operand_to_spread(const Windows& w, const Operand& indices) {
  MapBuilder map(w.operand);
  std::vector<Expr> results(w.spread.size());
  std::vector<Index> batched(w.spread.size(),
                             kNone);  // by spread dimension: the operand dimension it indexes
  for (std::size_t i = 0; i < w.operand.size(); ++i) {
    if (w.batch_dim[i] != kNone) batched[as_size(w.batch_dim[i])] = static_cast<Index>(i);
  }
  std::vector<Expr> batch;
  for (const Index d : w.batch_dims) {
    results[as_size(d)] = batched[as_size(d)] == kNone ? map.range(w.spread[as_size(d)])
                                                       : map.dim(as_size(batched[as_size(d)]));
    batch.push_back(results[as_size(d)]);
  }
  const std::vector<Expr> starts = declare_starts(map, w, indices, batch);
  for (std::size_t i = 0; i < w.operand.size(); ++i) {
    if (w.size[i] == 0) map.nothing();
    if (w.batch_dim[i] != kNone) continue;
    const Expr place = map.dim(i) - starts[i];
    map.constrain(place, 0, w.size[i] - 1);
    if (w.window_dim[i] != kNone) results[as_size(w.window_dim[i])] = place;
  }
  return std::move(map).build(std::move(results));
}

// Folds in the starts that the program determines.
Indexing folded_indices(Indexing indexing) {
  fold_runtime(indexing);
  indexing.map = simplify(indexing.map, Points::preserve);
  return indexing;
}

// gather

Result<Windows> gather_windows(const OpQuery& q) {
  static constexpr Names kNames{"offset_dims", "collapsed_slice_dims", "operand_batching_dims",
                                "start_indices_batching_dims", "start_index_map"};
  if (q.op.operands.size() != 2) return fail(Code::operand_count, "gather needs two operands");
  const auto sizes = ints_of(q.op, "slice_sizes");
  if (!sizes) return Failure(sizes.error());
  return read_windows(q, kNames, q.dims_of(0), q.dims_of(1), q.out(), *sizes);
}

IndexingSet gather_to_input(const OpQuery& q) {
  const auto w = gather_windows(q);
  if (!w) return unknown_set(w.error());
  if (q.operand == 0) return just(folded_indices(spread_to_operand(*w, q.op.operands[1])));
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
  if (q.operand == 0) return just(folded_indices(operand_to_spread(*w, q.op.operands[1])));
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

// scatter

constexpr const char* kWhichUpdates = "which updates reach an element is data dependent";
constexpr const char* kWhichOrder = "which updates reach the element, and in which order, is data dependent";
constexpr const char* kReplaced = "an update may replace the element";
constexpr const char* kOtherValue = "used only where an update reaches the element";
constexpr const char* kMayIgnore = "the scatter's function does not show that it uses the element";
constexpr const char* kReplacedUpdate = "a later update of the same element may replace it";
constexpr const char* kIgnoredUpdate = "the scatter's function does not use this update";
constexpr const char* kMayIgnoreUpdate = "the scatter's function does not show that it uses this update";
constexpr const char* kAnyIndex = "any index may select the element";

struct Scatter {
  std::size_t count;  // of operands, and of updates
  Windows windows;
  bool unique;
  const Operand& indices;
};

Result<Scatter> read_scatter(const OpQuery& q) {
  static constexpr Names kNames{"update_window_dims", "inserted_window_dims", "input_batching_dims",
                                "scatter_indices_batching_dims", "scatter_dims_to_operand_dims"};
  if (q.op.operands.size() % 2 == 0)
    return fail(Code::operand_count, "scatter has as many updates as operands");
  const std::size_t count = q.op.operands.size() / 2;
  auto windows = read_windows(q, kNames, q.out(), q.dims_of(count), q.dims_of(count + 1), {});
  if (!windows) return Failure(windows.error());
  windows->clamped = false;
  const auto unique = bool_of(q.op, "unique_indices", false);
  if (!unique) return Failure(unique.error());
  return Scatter{count, std::move(*windows), *unique, q.op.operands[count]};
}

// Operands: their elements stay in place.
IndexingSet own_elements(const OpQuery& q, const Scatter& s) {
  if (!std::ranges::equal(q.in(), q.out())) return bad_shape(q);
  const ReducerUse use = reducer_use(called_by(q.op, "to_apply"), s.count, q.output, q.operand);
  const bool own = q.operand == q.output;
  if (!use.may_running && !own) return {};
  // An element without an update is the result; one with an update is an argument of the function.
  if (s.unique && use.running && own) return just(identity_indexing(q.out()));
  const char* const reason = use.running && own ? kWhichOrder
                             : use.running      ? kOtherValue
                             : use.may_running  ? kMayIgnore
                                                : kReplaced;
  return just(as_superset(identity_indexing(q.out()), reason));
}

// Updates reach the output through the function and its later applications.
IndexingSet updates(const OpQuery& q, const Scatter& s, std::size_t update, Indexing indexing) {
  const Computation* function = called_by(q.op, "to_apply");
  const ReducerUse use = reducer_use(function, s.count, q.output, update);
  if (!use.may_fresh && update != q.output) return {};
  const ReducerUse earlier = reducer_use(function, s.count, q.output, q.output);
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
  Indexing indexing = folded_indices(operand_to_spread(s->windows, s->indices));
  if (!indexing.runtime.empty() && !indexing.map.known_empty()) return unknown_set(kWhichUpdates);
  return updates(q, *s, q.operand - s->count - 1, std::move(indexing));
}

// Each index vector places a window: the map of an update, with the dimensions of the window as range
// variables.
Indexing index_to_output(const Scatter& s) {
  const Windows& w = s.windows;
  MapBuilder map(w.indices);
  std::vector<Expr> batch, of_spread(w.spread.size());
  for (std::size_t k = 0; k < w.batch_dims.size(); ++k) {
    batch.push_back(map.dim(w.scalar_indices() || k < as_size(w.vector_dim) ? k : k + 1));
    of_spread[as_size(w.batch_dims[k])] = batch.back();
  }
  std::vector<Expr> window(w.operand.size());
  for (std::size_t i = 0; i < w.operand.size(); ++i) {
    if (w.window_dim[i] != kNone) window[i] = map.range(w.size[i]);
  }
  std::vector<Expr> results = declare_starts(map, w, s.indices, batch);
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i] = window[i] + results[i];
    if (w.batch_dim[i] != kNone) results[i] = results[i] + of_spread[as_size(w.batch_dim[i])];
  }
  return std::move(map).build(std::move(results));
}

IndexingSet scatter_to_output(const OpQuery& q) {
  const auto s = read_scatter(q);
  if (!s) return unknown_set(s.error());
  if (q.operand < s->count) return own_elements(q, *s);
  if (q.operand == s->count) return updates(q, *s, q.output, folded_indices(index_to_output(*s)));
  return updates(q, *s, q.operand - s->count - 1, folded_indices(spread_to_operand(s->windows, s->indices)));
}

}  // namespace

constinit const OpRule kGatherRule{gather_to_input, gather_to_output};
constinit const OpRule kScatterRule{scatter_to_input, scatter_to_output};

}  // namespace tessera::detail
