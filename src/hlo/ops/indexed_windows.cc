// SPDX-License-Identifier: Apache-2.0
#include "hlo/ops/indexed_windows.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "hlo/check/types.h"

namespace tessera::detail {

namespace {

// Reads the array of index vectors, and how its vectors map to the operand.
Problem read_vectors(const OpReader& reader, const WindowNames& names, std::size_t array, WindowRoles& roles,
                     Windows& w) {
  w.indices = copied(reader.dims(array));
  const std::span<const Index> dims = w.indices;
  TESSERA_READ(vector_dim, reader.integer("index_vector_dim"));
  if (vector_dim < 0 || vector_dim > static_cast<Index>(dims.size())) {
    return reader.wrong_attribute(Code::dim_out_of_range, "index_vector_dim",
                                  fmt::format("'index_vector_dim' is {}, but the indices have {}", vector_dim,
                                              plural(dims.size(), "dimension")));
  }
  w.vector_dim = vector_dim;
  if (!is_integer(reader.dtype(array))) {
    return reader.wrong_operand(
        Code::shape_mismatch, array,
        fmt::format("indices must be integers, but they are {}", short_text(reader.operand(array))));
  }
  TESSERA_READ(components, reader.ints(names.components));
  TESSERA_RULE(
      reader.distinct_dims(reader.instruction().attribute(names.components), components, w.operand.size()));
  const Index length = w.scalar_indices() ? 1 : dims[as_size(vector_dim)];
  if (length != static_cast<Index>(components.size())) {
    return reader.wrong_attribute(
        Code::rank_mismatch, names.components,
        fmt::format("'{}' names {}, but the index vectors have {}", names.components,
                    plural(components.size(), "dimension"), plural(as_size(length), "component")));
  }
  w.component.assign(w.operand.size(), kNoDim);
  for (std::size_t p = 0; p < components.size(); ++p)
    w.component[as_size(components[p])] = static_cast<Index>(p);
  TESSERA_READ(batch, reader.ints_or_none(names.indices_batch));
  TESSERA_RULE(reader.distinct_dims(reader.instruction().attribute(names.indices_batch), batch, dims.size()));
  if (std::ranges::find(batch, vector_dim) != batch.end()) {
    return reader.wrong_attribute(
        Code::bad_attribute, names.indices_batch,
        fmt::format("dimension {} holds the index vectors, so it cannot be a batch dimension", vector_dim));
  }
  roles.indices_batch = std::move(batch);
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (static_cast<Index>(i) != vector_dim) roles.batch_extents.push_back(dims[i]);
  }
  return std::nullopt;
}

// Reads the operand dimensions that windows do not have: collapsed (or inserted) ones and batch dimensions.
Problem read_missing_dims(const OpReader& reader, const WindowNames& names, WindowRoles& roles,
                          const Windows& w) {
  TESSERA_READ(dropped, reader.ints(names.dropped));
  TESSERA_READ(batch, reader.ints_or_none(names.operand_batch));
  std::vector<Index> missing = dropped;
  missing.insert(missing.end(), batch.begin(), batch.end());
  TESSERA_RULE(
      reader.distinct_dims(reader.instruction().attribute(names.dropped), missing, w.operand.size()));
  if (batch.size() != roles.indices_batch.size()) {
    return reader.wrong_attribute(
        Code::rank_mismatch, names.operand_batch,
        fmt::format("the operand has {}, but the indices have {}", plural(batch.size(), "batch dimension"),
                    roles.indices_batch.size()));
  }
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const Index a = w.operand[as_size(batch[i])];
    const Index b = w.indices[as_size(roles.indices_batch[i])];
    if (a != b) {
      return reader.wrong_attribute(
          Code::shape_mismatch, names.operand_batch,
          fmt::format("batch dimension {} has extent {} in the operand and {} in the indices", i, a, b));
    }
    if (w.component[as_size(batch[i])] != kNoDim) {
      return reader.wrong_attribute(
          Code::bad_attribute, names.operand_batch,
          fmt::format("dimension {} is both a batch dimension and indexed", batch[i]),
          "remove it from one of the two lists");
    }
  }
  roles.operand_batch = std::move(batch);
  roles.missing.assign(w.operand.size(), false);
  for (const Index d : missing) roles.missing[as_size(d)] = true;
  return std::nullopt;
}

}  // namespace

Problem read_roles(const OpReader& reader, const WindowNames& names, std::size_t array, WindowRoles& roles,
                   Windows& w) {
  w.operand = copied(reader.dims(0));
  TESSERA_RULE(read_vectors(reader, names, array, roles, w));
  return read_missing_dims(reader, names, roles, w);
}

Problem place_windows(const OpReader& reader, const WindowNames& names, std::span<const Index> window_dims,
                      const WindowRoles& roles, Windows& w) {
  std::vector<Index> window;  // the extents that are in the spread array
  for (std::size_t i = 0; i < w.size.size(); ++i) {
    if (!roles.missing[i]) window.push_back(w.size[i]);
  }
  const std::size_t rank = window.size() + roles.batch_extents.size();
  if (window_dims.size() != window.size()) {
    return reader.wrong_attribute(Code::rank_mismatch, names.windows,
                                  fmt::format("'{}' names {}, but the windows have {}", names.windows,
                                              plural(window_dims.size(), "dimension"), window.size()));
  }
  TESSERA_RULE(reader.distinct_dims(reader.instruction().attribute(names.windows), window_dims, rank));
  if (!std::ranges::is_sorted(window_dims)) {
    return reader.wrong_attribute(
        Code::bad_attribute, names.windows,
        fmt::format("'{}' must list dimensions in increasing order", names.windows));
  }
  w.spread.assign(rank, kNoDim);
  for (std::size_t i = 0; i < window.size(); ++i) w.spread[as_size(window_dims[i])] = window[i];
  for (std::size_t i = 0; i < rank; ++i) {
    if (w.spread[i] != kNoDim) continue;
    w.spread[i] = roles.batch_extents[w.batch_dims.size()];
    w.batch_dims.push_back(static_cast<Index>(i));
  }
  w.window_dim.assign(w.operand.size(), kNoDim);
  w.batch_dim.assign(w.operand.size(), kNoDim);
  for (std::size_t i = 0, next = 0; i < w.operand.size(); ++i) {
    if (!roles.missing[i]) w.window_dim[i] = window_dims[next++];
  }
  for (std::size_t k = 0; k < roles.operand_batch.size(); ++k) {
    const Index d = roles.indices_batch[k];
    w.batch_dim[as_size(roles.operand_batch[k])] = w.batch_dims[as_size(d < w.vector_dim ? d : d - 1)];
  }
  return std::nullopt;
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
