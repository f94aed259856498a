// SPDX-License-Identifier: Apache-2.0
// Windows at starts read from an array of index vectors.
#include <fmt/core.h>

#include <algorithm>

#include "hlo/verify/reducer_rule.h"
#include "hlo/verify/rules.h"
#include "hlo/verify/types.h"

namespace tessera::detail {
namespace {

// The array of index vectors, and how its vectors map to the operand.
struct IndexVectors {
  std::size_t operand = 1;  // its operand number
  Index vector_dim = 0;
  std::vector<Index> map;         // component -> operand dimension
  std::vector<Index> batching;    // dimensions paired with those of the operand
  std::vector<Index> batch_dims;  // extents, the vector dimension left out
};

Problem read_vectors(const Rule& rule, IndexVectors& out, std::size_t operand_rank, const char* map_key,
                     const char* batching_key) {
  const auto dims = rule.dims(out.operand);
  TESSERA_READ(vector_dim, int_of(rule.instruction(), "index_vector_dim"));
  if (vector_dim < 0 || vector_dim > static_cast<Index>(dims.size())) {
    return rule.wrong_attribute(Code::dim_out_of_range, "index_vector_dim",
                                fmt::format("'index_vector_dim' is {}, but the indices have {}", vector_dim,
                                            plural(dims.size(), "dimension")));
  }
  out.vector_dim = vector_dim;
  if (!is_integer(rule.dtype(out.operand))) {
    return rule.wrong_operand(
        Code::shape_mismatch, out.operand,
        fmt::format("indices must be integers, but they are {}", short_text(rule.operand(out.operand))));
  }
  TESSERA_READ(map, ints_of(rule.instruction(), map_key));
  out.map = std::move(map);
  TESSERA_RULE(rule.distinct_dims(rule.instruction().attribute(map_key), out.map, operand_rank));
  const Index length =
      vector_dim == static_cast<Index>(dims.size()) ? 1 : dims[static_cast<std::size_t>(vector_dim)];
  if (length != static_cast<Index>(out.map.size())) {
    return rule.wrong_attribute(Code::rank_mismatch, map_key,
                                fmt::format("'{}' names {}, but the index vectors have {}", map_key,
                                            plural(out.map.size(), "dimension"),
                                            plural(static_cast<std::size_t>(length), "component")));
  }
  TESSERA_READ(batching, ints_of(rule.instruction(), batching_key, {}));
  out.batching = std::move(batching);
  TESSERA_RULE(rule.distinct_dims(rule.instruction().attribute(batching_key), out.batching, dims.size()));
  if (std::ranges::find(out.batching, vector_dim) != out.batching.end()) {
    return rule.wrong_attribute(
        Code::bad_attribute, batching_key,
        fmt::format("dimension {} holds the index vectors, so it cannot be a batch dimension", vector_dim));
  }
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (static_cast<Index>(i) != vector_dim) out.batch_dims.push_back(dims[i]);
  }
  return std::nullopt;
}

// Checks the operand dimensions that windows do not have: collapsed (or inserted) ones and batch dimensions.
Problem check_missing_dims(const Rule& rule, const IndexVectors& vectors, const char* collapsed_key,
                           const char* batching_key, std::vector<Index>& missing) {
  const auto from = rule.dims(0);
  TESSERA_READ(collapsed, ints_of(rule.instruction(), collapsed_key));
  TESSERA_READ(batching, ints_of(rule.instruction(), batching_key, {}));
  missing = collapsed;
  missing.insert(missing.end(), batching.begin(), batching.end());
  TESSERA_RULE(rule.distinct_dims(rule.instruction().attribute(collapsed_key), missing, from.size()));
  if (batching.size() != vectors.batching.size()) {
    return rule.wrong_attribute(
        Code::rank_mismatch, batching_key,
        fmt::format("the operand has {}, but the indices have {}", plural(batching.size(), "batch dimension"),
                    vectors.batching.size()));
  }
  for (std::size_t i = 0; i < batching.size(); ++i) {
    const Index a = from[static_cast<std::size_t>(batching[i])];
    const Index b = rule.dims(vectors.operand)[static_cast<std::size_t>(vectors.batching[i])];
    if (a != b) {
      return rule.wrong_attribute(
          Code::shape_mismatch, batching_key,
          fmt::format("batch dimension {} has extent {} in the operand and {} in the indices", i, a, b));
    }
    if (std::ranges::find(vectors.map, batching[i]) != vectors.map.end()) {
      return rule.wrong_attribute(
          Code::bad_attribute, batching_key,
          fmt::format("dimension {} is both a batch dimension and indexed", batching[i]),
          "remove it from one of the two lists");
    }
  }
  return std::nullopt;
}

// Merges extents: those of window dimensions go to the positions `window_at`, those of batch dimensions to
// the other positions.
Problem merge_dims(const Rule& rule, const char* key, std::span<const Index> window_at,
                   std::span<const Index> window, std::span<const Index> batch, std::vector<Index>& out) {
  const std::size_t rank = window.size() + batch.size();
  if (window_at.size() != window.size()) {
    return rule.wrong_attribute(Code::rank_mismatch, key,
                                fmt::format("'{}' names {}, but the windows have {}", key,
                                            plural(window_at.size(), "dimension"), window.size()));
  }
  TESSERA_RULE(rule.distinct_dims(rule.instruction().attribute(key), window_at, rank));
  if (!std::ranges::is_sorted(window_at)) {
    return rule.wrong_attribute(Code::bad_attribute, key,
                                fmt::format("'{}' must list dimensions in increasing order", key));
  }
  out.assign(rank, -1);
  for (std::size_t i = 0; i < window.size(); ++i) out[static_cast<std::size_t>(window_at[i])] = window[i];
  std::size_t next = 0;
  for (Index& extent : out) {
    if (extent < 0) extent = batch[next++];
  }
  return std::nullopt;
}

Problem check_gather(const Rule& rule) {
  TESSERA_RULE(rule.operand_count_is(2));
  TESSERA_RULE(rule.operands_are_arrays());
  const auto from = rule.dims(0);
  IndexVectors vectors;
  TESSERA_RULE(read_vectors(rule, vectors, from.size(), "start_index_map", "start_indices_batching_dims"));
  std::vector<Index> missing;
  TESSERA_RULE(check_missing_dims(rule, vectors, "collapsed_slice_dims", "operand_batching_dims", missing));
  TESSERA_READ(sizes, ints_of(rule.instruction(), "slice_sizes"));
  if (sizes.size() != from.size()) {
    return rule.wrong_attribute(Code::rank_mismatch, "slice_sizes",
                                fmt::format("'slice_sizes' has {}, but the operand has {}",
                                            plural(sizes.size(), "entry"), plural(from.size(), "dimension")));
  }
  std::vector<Index> window;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 0 || sizes[i] > from[i]) {
      return rule.wrong_attribute(
          Code::bad_attribute, "slice_sizes",
          fmt::format("slice size {} of dimension {} is not within its extent {}", sizes[i], i, from[i]));
    }
    const bool is_missing = std::ranges::find(missing, static_cast<Index>(i)) != missing.end();
    if (is_missing && sizes[i] > 1) {
      return rule.wrong_attribute(
          Code::bad_attribute, "slice_sizes",
          fmt::format("dimension {} is a collapsed or batch dimension, so its slice size must be 1, not {}",
                      i, sizes[i]));
    }
    if (!is_missing) window.push_back(sizes[i]);
  }
  TESSERA_READ(offset_dims, ints_of(rule.instruction(), "offset_dims"));
  std::vector<Index> dims;
  TESSERA_RULE(merge_dims(rule, "offset_dims", offset_dims, window, vectors.batch_dims, dims));
  return rule.gives(rule.dtype(0), std::move(dims));
}

Problem check_scatter(const Rule& rule) {
  const std::size_t count = rule.operand_count();
  if (count % 2 == 0 || count < 3) {
    return rule.wrong(
        Code::operand_count,
        fmt::format("scatter takes n operands, one array of indices and n updates, but it has {} in all",
                    plural(count, "operand")),
        rule.instruction().opcode_span,
        "the form is scatter(a, indices, updates), or scatter(a, b, indices, x, y)");
  }
  TESSERA_RULE(rule.operands_are_arrays());
  const std::size_t inputs = count / 2;
  const auto to = rule.dims(0);
  for (std::size_t i = 1; i < inputs; ++i) TESSERA_RULE(rule.operand_dims_are(i, to, "operand 0 has"));
  IndexVectors vectors;
  vectors.operand = inputs;
  TESSERA_RULE(read_vectors(rule, vectors, to.size(), "scatter_dims_to_operand_dims",
                            "scatter_indices_batching_dims"));
  std::vector<Index> missing;
  TESSERA_RULE(check_missing_dims(rule, vectors, "inserted_window_dims", "input_batching_dims", missing));
  TESSERA_READ(window_dims, ints_of(rule.instruction(), "update_window_dims"));
  if (window_dims.size() + missing.size() != to.size()) {
    return rule.wrong_attribute(
        Code::rank_mismatch, "update_window_dims",
        fmt::format("{} and {} omitted ones do not add up to the {} of the operand",
                    plural(window_dims.size(), "window dimension"), missing.size(), to.size()));
  }
  const auto updates = rule.dims(inputs + 1);
  if (updates.size() != window_dims.size() + vectors.batch_dims.size()) {
    return rule.wrong_operand(
        Code::rank_mismatch, inputs + 1,
        fmt::format("the updates have {}, but windows have {} and indices {}",
                    plural(updates.size(), "dimension"), window_dims.size(), vectors.batch_dims.size()));
  }
  TESSERA_RULE(
      rule.distinct_dims(rule.instruction().attribute("update_window_dims"), window_dims, updates.size()));
  std::vector<Index> window;
  std::size_t next = 0;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (std::ranges::find(missing, static_cast<Index>(i)) != missing.end()) continue;
    const Index extent = updates[static_cast<std::size_t>(window_dims[next++])];
    if (extent > to[i]) {
      return rule.wrong_operand(
          Code::shape_mismatch, inputs + 1,
          fmt::format("the update windows have extent {} in operand dimension {}, which has only {}", extent,
                      i, to[i]));
    }
    window.push_back(extent);
  }
  std::vector<Index> expected;
  TESSERA_RULE(merge_dims(rule, "update_window_dims", window_dims, window, vectors.batch_dims, expected));
  for (std::size_t i = 0; i < inputs; ++i) {
    TESSERA_RULE(rule.operand_dims_are(inputs + 1 + i, expected, "indices and windows give"));
  }
  // The function takes the old value and the update of each operand, and returns the new value.
  std::vector<std::size_t> operand_of;
  for (std::size_t i = 0; i < inputs; ++i) operand_of.push_back(i);
  for (std::size_t i = 0; i < inputs; ++i) operand_of.push_back(inputs + 1 + i);
  TESSERA_RULE(check_function(rule, "to_apply", operand_of, std::span(operand_of).first(inputs)));
  std::vector<HloType> types;
  for (std::size_t i = 0; i < inputs; ++i) types.push_back(rule.operand(i));
  return rule.gives(inputs == 1 ? types[0] : HloType::tuple(std::move(types)));
}

}  // namespace

Problem check_gather_scatter(const Rule& rule) {
  return rule.instruction().opcode == Opcode::gather ? check_gather(rule) : check_scatter(rule);
}

}  // namespace tessera::detail
