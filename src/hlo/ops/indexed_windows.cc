// SPDX-License-Identifier: Apache-2.0
#include "hlo/ops/indexed_windows.h"

#include <algorithm>
#include <utility>

#include "hlo/syntax/attributes.h"

namespace tessera::detail {

Result<Windows> read_windows(const OpQuery& q, const WindowNames& names, std::span<const Index> operand,
                             std::span<const Index> indices, std::span<const Index> spread,
                             std::span<const Index> sizes) {
  const auto mismatch = [] {
    return fail(Code::shape_mismatch,
                "the dimension numbers do not match the shapes of the operands and the result");
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
  w.window_dim.assign(rank, kNoDim);
  w.batch_dim.assign(rank, kNoDim);
  w.component.assign(rank, kNoDim);

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
    if (d < 0 || as_size(d) >= rank || w.component[as_size(d)] != kNoDim || w.batch_dim[as_size(d)] != kNoDim)
      return mismatch();
    w.component[as_size(d)] = static_cast<Index>(p);
  }
  return w;
}

std::vector<Expr> index_element(const Windows& w, std::span<const Expr> batch, Expr p) {
  std::vector<Expr> element(batch.begin(), batch.end());
  if (!w.scalar_indices()) element.insert(element.begin() + w.vector_dim, p);
  return element;
}

std::vector<Expr> declare_starts(MapBuilder& map, const Windows& w, const Operand& source,
                                 std::span<const Expr> batch) {
  std::vector<Expr> starts(w.operand.size());
  for (std::size_t i = 0; i < starts.size(); ++i) {
    if (w.component[i] == kNoDim) continue;
    // A window that is not entirely inside has no effect, so only starts inside matter.
    const Interval inside{0, w.operand[i] - w.size[i]};
    starts[i] = map.runtime(inside, w.clamped ? inside : Interval{}, source,
                            index_element(w, batch, Expr::constant(w.component[i])));
  }
  return starts;
}

Indexing spread_to_operand(const Windows& w, const Operand& indices) {
  MapBuilder map(w.spread);
  std::vector<Expr> batch;
  for (const Index d : w.batch_dims) batch.push_back(map.dim(as_size(d)));
  std::vector<Expr> results = declare_starts(map, w, indices, batch);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (w.size[i] == 0) map.nothing();
    if (w.window_dim[i] != kNoDim) results[i] = map.dim(as_size(w.window_dim[i])) + results[i];
    if (w.batch_dim[i] != kNoDim) results[i] = results[i] + map.dim(as_size(w.batch_dim[i]));
  }
  return std::move(map).build(std::move(results));
}

Indexing operand_to_spread(const Windows& w, const Operand& indices) {
  MapBuilder map(w.operand);
  std::vector<Expr> results(w.spread.size());
  std::vector<Index> batched(w.spread.size(),
                             kNoDim);  // by spread dimension: the operand dimension it indexes
  for (std::size_t i = 0; i < w.operand.size(); ++i) {
    if (w.batch_dim[i] != kNoDim) batched[as_size(w.batch_dim[i])] = static_cast<Index>(i);
  }
  std::vector<Expr> batch;
  for (const Index d : w.batch_dims) {
    results[as_size(d)] = batched[as_size(d)] == kNoDim ? map.range(w.spread[as_size(d)])
                                                        : map.dim(as_size(batched[as_size(d)]));
    batch.push_back(results[as_size(d)]);
  }
  const std::vector<Expr> starts = declare_starts(map, w, indices, batch);
  for (std::size_t i = 0; i < w.operand.size(); ++i) {
    if (w.size[i] == 0) map.nothing();
    if (w.batch_dim[i] != kNoDim) continue;
    const Expr place = map.dim(i) - starts[i];
    map.constrain(place, {0, w.size[i] - 1});
    if (w.window_dim[i] != kNoDim) results[as_size(w.window_dim[i])] = place;
  }
  return std::move(map).build(std::move(results));
}

}  // namespace tessera::detail
