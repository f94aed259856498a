// SPDX-License-Identifier: Apache-2.0
#include "hlo/ops/window.h"

#include <fmt/core.h>

#include <algorithm>

#include "hlo/check/functions.h"
#include "hlo/check/types.h"
#include "hlo/check/windowed_dims.h"
#include "hlo/ops/checked.h"
#include "hlo/ops/reducer.h"
#include "hlo/ops/rule.h"
#include "hlo/ops/values.h"

namespace tessera::detail {

bool WindowAxis::fits() const {
  const Checked from_output = Checked(std::max<Index>(out, 1) - 1) * window.stride +
                              Checked(window.size - 1) * window.rhs_dilate - window.pad_low;
  const Checked from_input = Checked(std::max<Index>(in, 1) - 1) * window.lhs_dilate + window.pad_low;
  const Checked lowest = Checked(window.pad_low) - Checked(window.size - 1) * window.rhs_dilate;
  return from_output.valid() && from_input.valid() && lowest.valid() && (Checked(0) - window.pad_low).valid();
}

bool WindowAxis::is_identity() const {
  return in == out && window.size == 1 && window.stride == 1 && window.lhs_dilate == 1 && window.pad_low == 0;
}

bool WindowAxis::always_inside() const {
  // The last window of a smaller input may reach padding that the last one at the bound steps over.
  if (dynamic && window.pad_high > 0) return false;
  const Index last = (out - 1) * window.stride + (window.size - 1) * window.rhs_dilate - window.pad_low;
  const auto steps_over_gaps = [&](Index count, Index step) {
    return count == 1 || step % window.lhs_dilate == 0;
  };
  return window.pad_low <= 0 && last <= (in - 1) * window.lhs_dilate &&
         window.pad_low % window.lhs_dilate == 0 && steps_over_gaps(out, window.stride) &&
         steps_over_gaps(window.size, window.rhs_dilate);
}

Expr WindowAxis::input_of(MapBuilder& map, Expr o, Expr k) const {
  const Expr place = o * window.stride + k * window.rhs_dilate - window.pad_low;
  map.constrain(place, {0, (in - 1) * window.lhs_dilate});
  if (window.lhs_dilate == 1) return place;
  map.constrain(mod(place, window.lhs_dilate), {0, 0});
  return floor_div(place, window.lhs_dilate);
}

Expr WindowAxis::output_of(MapBuilder& map, Expr x, Expr k) const {
  const Expr place = x * window.lhs_dilate - k * window.rhs_dilate + window.pad_low;
  map.constrain(place, {0, (out - 1) * window.stride});
  if (window.stride == 1) return place;
  map.constrain(mod(place, window.stride), {0, 0});
  return floor_div(place, window.stride);
}

Problem read_axes(const OpReader& reader, std::span<const WindowDim> window, std::span<const Index> in,
                  std::span<const Index> out, std::vector<WindowAxis>& axes) {
  for (std::size_t i = 0; i < window.size(); ++i) {
    axes.push_back({in[i], out[i], window[i]});
    if (axes.back().fits()) continue;
    return reader.wrong_attribute(Code::overflow, "window",
                                  fmt::format("places in window dimension {} do not fit in 64 bits", i));
  }
  return std::nullopt;
}

Expr window_element(MapBuilder& map, const WindowDim& window) {
  return window.size == 1 ? Expr() : map.range(window.size);
}

namespace {

Problem read_reduce_window(const OpReader& reader, WindowOp& op) {
  TESSERA_RULE(check_inputs_and_inits(reader));
  TESSERA_READ(window, reader.window());
  std::vector<Index> dims;
  TESSERA_RULE(windowed_dims(reader, window, reader.dims(0), dims));
  TESSERA_RULE(read_axes(reader, window, reader.dims(0), dims, op.axes));
  for (std::size_t i = 0; i < op.axes.size(); ++i)
    op.axes[i].dynamic = reader.operand(0).array().dim_kind(i) != DimKind::fixed;
  TESSERA_RULE(check_reducer(reader, "to_apply", reader.operand_count() / 2));
  op.function = called_by(reader.instruction(), "to_apply");
  return gives_for_each_input(reader, reader.operand_count() / 2, dims);
}

bool has_no_elements(std::span<const Index> extents) {
  return std::ranges::find(extents, 0) != extents.end();
}

// From an output element to the input elements in its window.
Indexing windows(std::span<const WindowAxis> axes, std::span<const Index> in, std::span<const Index> out) {
  MapBuilder map(out);
  if (has_no_elements(in)) map.nothing();
  std::vector<Expr> elements;
  for (const WindowAxis& axis : axes) elements.push_back(window_element(map, axis.window));
  std::vector<Expr> results;
  for (std::size_t i = 0; i < axes.size(); ++i)
    results.push_back(axes[i].input_of(map, map.dim(i), elements[i]));
  return std::move(map).build(std::move(results), MapBuilder::Simplification::replace_points);
}

// From an input element to the outputs whose windows hold it.
Indexing holders(std::span<const WindowAxis> axes, std::span<const Index> in, std::span<const Index> out) {
  MapBuilder map(in);
  if (has_no_elements(out)) map.nothing();
  std::vector<Expr> elements;
  for (const WindowAxis& axis : axes) elements.push_back(window_element(map, axis.window));
  std::vector<Expr> results;
  for (std::size_t i = 0; i < axes.size(); ++i)
    results.push_back(axes[i].output_of(map, map.dim(i), elements[i]));
  return std::move(map).build(std::move(results), MapBuilder::Simplification::replace_points);
}

// reduce-window: inputs, then as many initial values; output k depends on the windows of all inputs.

// Initial values. Those of other outputs take part only if the window has an element.
IndexingSet of_initial_value(const OpQuery& q, const WindowOp& op, std::size_t count, Indexing indexing) {
  indexing = mixed_by_reducer(q, op.function, std::move(indexing));
  if (q.operand - count == q.output) return just(std::move(indexing));
  if (std::ranges::all_of(op.axes, &WindowAxis::always_inside)) return just(std::move(indexing));
  return just(as_superset(std::move(indexing),
                          "a window that holds only padding does not read the other initial values"));
}

IndexingSet reduce_window_to_input(const OpQuery& q, const WindowOp& op) {
  const std::size_t count = q.op.operands.size() / 2;
  if (q.operand >= count) return of_initial_value(q, op, count, scalar_indexing(q.out()));
  return just(mixed_by_reducer(q, op.function, windows(op.axes, q.in(), q.out())));
}

IndexingSet reduce_window_to_output(const OpQuery& q, const WindowOp& op) {
  const std::size_t count = q.op.operands.size() / 2;
  if (q.operand >= count) return of_initial_value(q, op, count, whole_indexing(q.in(), q.out()));
  return just(mixed_by_reducer(q, op.function, holders(op.axes, q.in(), q.out())));
}

bool under_window(const OpQuery& q, bool, std::size_t dim) {
  return !static_cast<const WindowOp&>(*q.facts.value()).axes[dim].is_identity();
}

// select-and-scatter(operand, source, init): each source element goes to the operand element that its window
// selects.

constexpr const char* kSelected = "which element of a window is selected is data dependent";

// From an operand element to those that share a window with it, a symmetric relation.
Indexing neighbours(std::span<const WindowAxis> axes, std::span<const Index> extents,
                    std::span<const Index> windows_extents) {
  MapBuilder map(extents);
  if (has_no_elements(windows_extents)) map.nothing();
  std::vector<Expr> mine, other;
  for (const WindowAxis& axis : axes) mine.push_back(window_element(map, axis.window));
  for (const WindowAxis& axis : axes) other.push_back(window_element(map, axis.window));
  std::vector<Expr> results;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    axes[i].output_of(map, map.dim(i), mine[i]);  // constrains the map: this window exists
    const Expr place = map.dim(i) - mine[i] + other[i];
    map.constrain(place, {0, extents[i] - 1});
    results.push_back(place);
  }
  return std::move(map).superset(std::move(results), kSelected, MapBuilder::Simplification::replace_points);
}

Problem read_select_and_scatter(const OpReader& reader, WindowOp& op) {
  TESSERA_RULE(reader.operand_count_is(3));
  TESSERA_RULE(reader.operands_are_arrays());
  TESSERA_RULE(reader.operand_is_scalar(2, "the initial value"));
  TESSERA_READ(window, reader.window());
  std::vector<Index> dims;
  TESSERA_RULE(windowed_dims(reader, window, reader.dims(0), dims));
  TESSERA_RULE(reader.operand_dims_are(1, dims, "the windows over operand 0 give"));
  for (std::size_t i = 1; i < 3; ++i) {
    if (same_element_type(reader.dtype(i), reader.dtype(0))) continue;
    return reader.wrong_operand(Code::shape_mismatch, i,
                                fmt::format("{} has elements of {}, but the operand has elements of {}",
                                            i == 1 ? "the source" : "the initial value",
                                            to_string(reader.dtype(i)), to_string(reader.dtype(0))));
  }
  for (std::size_t i = 0; i < window.size(); ++i) {
    if (window[i].lhs_dilate == 1 && window[i].rhs_dilate == 1) continue;
    return reader.wrong(
        Code::bad_attribute, "the window of select-and-scatter must not be dilated",
        window_span(reader.instruction(), window[i].lhs_dilate == 1 ? "rhs_dilate" : "lhs_dilate", i));
  }
  TESSERA_RULE(read_axes(reader, window, reader.dims(0), dims, op.axes));
  TESSERA_RULE(check_predicate(reader, "select", 1));
  TESSERA_RULE(check_reducer(reader, "scatter", 1));
  op.function = called_by(reader.instruction(), "scatter");
  return reader.gives(reader.dtype(0), {reader.dims(0).begin(), reader.dims(0).end()});
}

// The initial value: each element starts with it, and a scattered value may replace it.
IndexingSet of_scatter_start(const WindowOp& op, Indexing indexing) {
  if (reducer_use(op.function, {}).running) return just(std::move(indexing));
  return just(as_superset(std::move(indexing), "a scattered value may replace the initial value"));
}

IndexingSet select_to_input(const OpQuery& q, const WindowOp& op) {
  if (q.operand == 2) return of_scatter_start(op, scalar_indexing(q.out()));
  if (q.operand == 0) return just(neighbours(op.axes, q.out(), q.dims_of(1)));
  return just(as_superset(holders(op.axes, q.out(), q.in()), kSelected));
}

IndexingSet select_to_output(const OpQuery& q, const WindowOp& op) {
  if (q.operand == 2) return of_scatter_start(op, whole_indexing(q.in(), q.out()));
  if (q.operand == 0) return just(neighbours(op.axes, q.out(), q.dims_of(1)));
  return just(as_superset(windows(op.axes, q.out(), q.in()), kSelected));
}

}  // namespace

constinit const OpRule kReduceWindowRule =
    family_rule<WindowOp, read_reduce_window, reduce_window_to_input, reduce_window_to_output>(
        {.changes_size = under_window});
constinit const OpRule kSelectAndScatterRule =
    family_rule<WindowOp, read_select_and_scatter, select_to_input, select_to_output>();

}  // namespace tessera::detail
