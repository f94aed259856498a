// SPDX-License-Identifier: Apache-2.0
/// \file
/// scatter(operands..., indices, updates...): windows of the operands at starts given by index vectors. A
/// window that is not entirely inside is dropped.
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "base/index_walk.h"
#include "hlo/ops/fold_runtime.h"
#include "hlo/ops/indexed_windows.h"
#include "hlo/ops/outside_box.h"
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

using Corners = std::vector<std::vector<Index>>;

struct ScatterOp {
  std::size_t count;  // of operands, and of updates
  Windows windows;
  bool unique;
  const Operand& indices;
  std::optional<Corners> corners = {};  // of the windows inside, if the program determines them all
  bool apart = false;                   // no two of these windows share an element
};

// The most windows that are compared with each other.
constexpr Index kMostWindows = 512;
// The most parts of the operand around the windows.
constexpr std::size_t kMostParts = 64;

// Where the windows that have an effect start, if the program determines it.
std::optional<Corners> known_corners(const OpQuery& q, const ScatterOp& s) {
  const Windows& w = s.windows;
  std::vector<Index> batch_extents;
  for (const Index d : w.batch_dims) batch_extents.push_back(w.spread[as_size(d)]);
  const auto count = element_count(batch_extents);
  if (!q.known_starts || !count || *count > kMostWindows) return std::nullopt;
  const ElementOptions none;
  const Domain anywhere;
  const ElementOptions* const operands = q.facts.known_operands();
  const auto indices = ElementTrace(anywhere, operands != nullptr ? *operands : none).elements({s.indices});
  if (indices == nullptr) return std::nullopt;
  Corners out;
  std::vector<Index> batch(batch_extents.size());
  if (*count > 0) {
    do {
      std::vector<Expr> place;
      for (const Index b : batch) place.push_back(Expr::constant(b));
      std::vector<Index> corner(w.operand.size());
      bool inside = true;
      for (std::size_t i = 0; i < corner.size(); ++i) {
        if (w.component[i] != kNoDim) {
          Index number = 0;
          const std::vector<Expr> at = index_element(w, place, Expr::constant(w.component[i]));
          for (std::size_t d = 0; d < at.size(); ++d) number = number * w.indices[d] + at[d].value();
          corner[i] = (*indices)[as_size(number)];
        }
        for (std::size_t k = 0; k < batch.size(); ++k) {
          if (w.batch_dim[i] == w.batch_dims[k]) corner[i] = batch[k];
        }
        inside = inside && 0 <= corner[i] && corner[i] <= w.operand[i] - w.size[i];
      }
      if (inside) out.push_back(std::move(corner));
    } while (next_index(batch, batch_extents));
  }
  return out;
}

// Whether no two windows share an element.
bool are_apart(const Corners& corners, std::span<const Index> sizes) {
  const auto meet = [&](const std::vector<Index>& a, const std::vector<Index>& b) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (std::abs(a[i] - b[i]) >= sizes[i]) return false;
    }
    return true;
  };
  for (auto a = corners.begin(); a != corners.end(); ++a) {
    if (std::any_of(corners.begin(), a, [&](const auto& b) { return meet(*a, b); })) return false;
  }
  return true;
}

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
  ScatterOp out{count, std::move(*windows), *unique, q.op.operands[count]};
  out.corners = known_corners(q, out);
  out.apart = out.corners && are_apart(*out.corners, out.windows.size);
  out.unique = out.unique || out.apart;
  return out;
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
  if ((s.unique || s.corners) && use.running && own) return just(identity_indexing(q.out()));
  if (s.corners && !use.may_running) {
    std::vector<Domain> parts{Domain::box(q.out())};
    for (const std::vector<Index>& corner : *s.corners) {
      if (parts.size() <= kMostParts) remove_box(parts, corner, s.windows.size);
    }
    if (parts.size() <= kMostParts) return identities(q.out(), std::move(parts));
  }
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
  const bool single =
      s.apart || (s.unique && std::ranges::all_of(s.windows.size, [](Index n) { return n == 1; }));
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
  Indexing indexing = known_starts(q, operand_to_spread(s->windows, s->indices));
  if (!indexing.runtime.empty() && !indexing.map.known_empty() && !s->corners)
    return unknown_set(kWhichUpdates);
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
  if (q.operand == s->count) return updates(q, *s, q.output, known_starts(q, index_to_output(*s)));
  return updates(q, *s, q.operand - s->count - 1, known_starts(q, spread_to_operand(s->windows, s->indices)));
}

}  // namespace

constinit const OpRule kScatterRule{scatter_to_input, scatter_to_output};

}  // namespace tessera::detail
