// SPDX-License-Identifier: Apache-2.0
/// \file
/// scatter(operands..., indices, updates...): windows of the operands at starts given by index vectors. A
/// window that is not entirely inside is dropped.
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "base/index_walk.h"
#include "hlo/check/functions.h"
#include "hlo/limits.h"
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

struct ScatterOp : OpValue {
  std::size_t count = 0;  // of operands, and of updates
  Windows windows;
  bool unique = false;
  const Computation* function = nullptr;
};

// What the program says about the places of the windows.
struct WindowPlaces {
  std::optional<Corners> corners = {};  // of the windows inside, if the program determines them all
  bool apart = false;                   // no two of these windows share an element
};

// Where the windows that have an effect start, if the program determines it.
std::optional<Corners> known_corners(const OpQuery& q, const ScatterOp& s) {
  const Windows& w = s.windows;
  std::vector<Index> batch_extents;
  for (const Index d : w.batch_dims) batch_extents.push_back(w.spread[as_size(d)]);
  const auto count = element_count(batch_extents);
  if (!q.known_starts || !count || *count > kHloLimits.ops.scatter_windows) return std::nullopt;
  const ElementOptions none;
  const Domain anywhere;
  const ElementOptions* const operands = q.facts.known_operands();
  const auto indices =
      ElementTrace(anywhere, operands != nullptr ? *operands : none).elements({q.op.operands[s.count]});
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

const WindowPlaces& places_of(const OpQuery& q, const ScatterOp& s) {
  return q.facts.once<WindowPlaces>([&] {
    WindowPlaces places{.corners = known_corners(q, s)};
    places.apart = places.corners && are_apart(*places.corners, s.windows.size);
    return places;
  });
}

constexpr WindowNames kScatterNames{"update_window_dims", "inserted_window_dims", "input_batching_dims",
                                    "scatter_indices_batching_dims", "scatter_dims_to_operand_dims"};

Problem read_scatter(const OpReader& reader, ScatterOp& op) {
  const std::size_t count = reader.operand_count();
  if (count % 2 == 0 || count < 3) {
    return reader.wrong(
        Code::operand_count,
        fmt::format("scatter takes n operands, one array of indices and n updates, but it has {} in all",
                    plural(count, "operand")),
        reader.instruction().opcode_span,
        "the form is scatter(a, indices, updates), or scatter(a, b, indices, x, y)");
  }
  TESSERA_RULE(reader.operands_are_arrays());
  const std::size_t inputs = op.count = count / 2;
  for (std::size_t i = 1; i < inputs; ++i)
    TESSERA_RULE(reader.operand_dims_are(i, reader.dims(0), "operand 0 has"));
  Windows& w = op.windows;
  w.clamped = false;
  WindowRoles roles;
  TESSERA_RULE(read_roles(reader, kScatterNames, inputs, roles, w));
  TESSERA_READ(window_dims, reader.ints("update_window_dims"));
  const auto missing = static_cast<std::size_t>(std::ranges::count(roles.missing, true));
  if (window_dims.size() + missing != w.operand.size()) {
    return reader.wrong_attribute(
        Code::rank_mismatch, "update_window_dims",
        fmt::format("{} and {} omitted ones do not add up to the {} of the operand",
                    plural(window_dims.size(), "window dimension"), missing, w.operand.size()));
  }
  const auto updates = reader.dims(inputs + 1);
  if (updates.size() != window_dims.size() + roles.batch_extents.size()) {
    return reader.wrong_operand(
        Code::rank_mismatch, inputs + 1,
        fmt::format("the updates have {}, but windows have {} and indices {}",
                    plural(updates.size(), "dimension"), window_dims.size(), roles.batch_extents.size()));
  }
  TESSERA_RULE(reader.distinct_dims(reader.instruction().attribute("update_window_dims"), window_dims,
                                    updates.size()));
  w.size.assign(w.operand.size(), 1);
  for (std::size_t i = 0, next = 0; i < w.operand.size(); ++i) {
    if (roles.missing[i]) continue;
    w.size[i] = updates[as_size(window_dims[next++])];
    if (w.size[i] <= w.operand[i]) continue;
    return reader.wrong_operand(
        Code::shape_mismatch, inputs + 1,
        fmt::format("the update windows have extent {} in operand dimension {}, which has only {}", w.size[i],
                    i, w.operand[i]));
  }
  TESSERA_RULE(place_windows(reader, kScatterNames, window_dims, roles, w));
  for (std::size_t i = 0; i < inputs; ++i) {
    TESSERA_RULE(reader.operand_dims_are(inputs + 1 + i, w.spread, "indices and windows give"));
  }
  TESSERA_READ(unique, reader.flag("unique_indices"));
  op.unique = unique;
  // The function takes the old value and the update of each operand, and returns the new value.
  std::vector<std::size_t> operand_of;
  for (std::size_t i = 0; i < inputs; ++i) operand_of.push_back(i);
  for (std::size_t i = 0; i < inputs; ++i) operand_of.push_back(inputs + 1 + i);
  TESSERA_RULE(check_function(reader, "to_apply", operand_of, std::span(operand_of).first(inputs)));
  op.function = called_by(reader.instruction(), "to_apply");
  return gives_operands(reader, inputs);
}

// Operands: their elements stay in place.
IndexingSet own_elements(const OpQuery& q, const ScatterOp& s) {
  const ReducerUse use = reducer_use(s.function, {.count = s.count, .output = q.output, .input = q.operand});
  const bool own = q.operand == q.output;
  if (!use.may_running && !own) return {};
  // The result has each element that no update reaches unchanged; for the others, the element is an argument
  // of the function.
  const auto& [corners, apart] = places_of(q, s);
  if ((s.unique || corners) && use.running && own) return just(identity_indexing(q.out()));
  if (corners && !use.may_running) {
    std::vector<Domain> parts{Domain::box(q.out())};
    for (const std::vector<Index>& corner : *corners) {
      if (parts.size() <= kHloLimits.ops.scatter_parts) remove_box(parts, corner, s.windows.size);
    }
    if (parts.size() <= kHloLimits.ops.scatter_parts) return identities(q.out(), std::move(parts));
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
  const ReducerUse use = reducer_use(s.function, {.count = s.count, .output = q.output, .input = update});
  if (!use.may_fresh && update != q.output) return {};
  const ReducerUse earlier =
      reducer_use(s.function, {.count = s.count, .output = q.output, .input = q.output});
  const bool apart = places_of(q, s).apart;
  if (use.fresh && (s.unique || apart || earlier.running)) return just(std::move(indexing));
  // Windows of one element at unique positions: each element has at most one update.
  const bool single =
      apart || (s.unique && std::ranges::all_of(s.windows.size, [](Index n) { return n == 1; }));
  if (use.once && single) return just(std::move(indexing));
  const char* const reason = !use.may_fresh                     ? kIgnoredUpdate
                             : use.once && !earlier.may_running ? kReplacedUpdate
                                                                : kMayIgnoreUpdate;
  return just(as_superset(std::move(indexing), reason));
}

// The indices whose windows reach an element, if the program determines them; else any index may.
IndexingSet reached_indices(const OpQuery& q, const ScatterOp& s) {
  const Windows& w = s.windows;
  if (!places_of(q, s).corners) return just(as_superset(whole_indexing(q.out(), q.in()), kAnyIndex));
  MapBuilder map(w.spread);
  std::vector<Expr> batch;
  for (const Index d : w.batch_dims) batch.push_back(map.dim(as_size(d)));
  const Expr component = w.scalar_indices() ? Expr::constant(0) : map.range(w.indices[as_size(w.vector_dim)]);
  const Indexing of_update = std::move(map).build(index_element(w, batch, component));
  const Indexing reached = known_starts(q, operand_to_spread(w, q.op.operands[s.count]));
  return updates(q, s, q.output, compose(reached, of_update));
}

IndexingSet scatter_to_input(const OpQuery& q, const ScatterOp& s) {
  if (q.operand < s.count) return own_elements(q, s);
  if (q.operand == s.count) return reached_indices(q, s);
  Indexing indexing = known_starts(q, operand_to_spread(s.windows, q.op.operands[s.count]));
  if (!indexing.runtime.empty() && !indexing.map.known_empty() && !places_of(q, s).corners)
    return unknown_set(kWhichUpdates);
  return updates(q, s, q.operand - s.count - 1, std::move(indexing));
}

// Each index vector places a window. The map is that of an update, with the dimensions of the window as range
// variables.
Indexing index_to_output(const OpQuery& q, const ScatterOp& s) {
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
  std::vector<Expr> results = declare_starts(map, w, q.op.operands[s.count], batch);
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i] = window[i] + results[i];
    if (w.batch_dim[i] != kNoDim) results[i] = results[i] + of_spread[as_size(w.batch_dim[i])];
  }
  return std::move(map).build(std::move(results));
}

IndexingSet scatter_to_output(const OpQuery& q, const ScatterOp& s) {
  if (q.operand < s.count) return own_elements(q, s);
  if (q.operand == s.count) return updates(q, s, q.output, known_starts(q, index_to_output(q, s)));
  return updates(q, s, q.operand - s.count - 1,
                 known_starts(q, spread_to_operand(s.windows, q.op.operands[s.count])));
}

}  // namespace

constinit const OpRule kScatterRule =
    family_rule<ScatterOp, read_scatter, scatter_to_input, scatter_to_output>();

}  // namespace tessera::detail
