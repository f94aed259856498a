// SPDX-License-Identifier: Apache-2.0
#include "hlo/ops/window.h"

#include <algorithm>

#include "hlo/ops/checked.h"
#include "hlo/ops/reducer.h"
#include "hlo/ops/rule.h"

namespace tessera::detail {

bool WindowAxis::valid() const {
  if (in < 0 || out < 0 || window.size < 1 || window.stride < 1 || window.lhs_dilate < 1 ||
      window.rhs_dilate < 1) {
    return false;
  }
  const Checked from_output = Checked(std::max<Index>(out, 1) - 1) * window.stride +
                              Checked(window.size - 1) * window.rhs_dilate - window.pad_low;
  const Checked from_input = Checked(std::max<Index>(in, 1) - 1) * window.lhs_dilate + window.pad_low;
  const Checked lowest = Checked(window.pad_low) - Checked(window.size - 1) * window.rhs_dilate;
  return from_output.valid() && from_input.valid() && lowest.valid() && (Checked(0) - window.pad_low).valid();
}

bool WindowAxis::always_inside() const {
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

Expr window_element(MapBuilder& map, const WindowDim& window) {
  return window.size == 1 ? Expr() : map.range(window.size);
}

namespace {

Result<std::vector<WindowAxis>> axes_of(const OpQuery& q, std::span<const Index> in,
                                        std::span<const Index> out) {
  const auto window = window_of(q.op);
  if (!window) return Failure(window.error());
  bool matches = window->size() == in.size() && in.size() == out.size();
  std::vector<WindowAxis> axes;
  for (std::size_t i = 0; matches && i < in.size(); ++i) {
    axes.push_back({in[i], out[i], (*window)[i]});
    matches = axes.back().valid();
  }
  if (!matches) return fail(Code::shape_mismatch, "the window does not match the shapes of the instruction");
  return axes;
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
IndexingSet of_initial_value(const OpQuery& q, std::size_t count, Indexing indexing) {
  indexing = mixed_by_reducer(q, count, std::move(indexing));
  if (q.operand - count == q.output) return just(std::move(indexing));
  const auto axes = axes_of(q, q.dims_of(0), q.facts.output_type(0).dims());
  if (!axes) return unknown_set(axes.error());
  if (std::ranges::all_of(*axes, &WindowAxis::always_inside)) return just(std::move(indexing));
  return just(as_superset(std::move(indexing),
                          "a window that holds only padding does not read the other initial values"));
}

IndexingSet reduce_window_to_input(const OpQuery& q) {
  const std::size_t count = q.op.operands.size() / 2;
  if (q.operand >= count) return of_initial_value(q, count, scalar_indexing(q.out()));
  const auto axes = axes_of(q, q.in(), q.out());
  if (!axes) return unknown_set(axes.error());
  return just(mixed_by_reducer(q, count, windows(*axes, q.in(), q.out())));
}

IndexingSet reduce_window_to_output(const OpQuery& q) {
  const std::size_t count = q.op.operands.size() / 2;
  if (q.operand >= count) return of_initial_value(q, count, whole_indexing(q.in(), q.out()));
  const auto axes = axes_of(q, q.in(), q.out());
  if (!axes) return unknown_set(axes.error());
  return just(mixed_by_reducer(q, count, holders(*axes, q.in(), q.out())));
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

Result<std::vector<WindowAxis>> scatter_axes(const OpQuery& q) {
  if (q.op.operands.size() != 3) return fail(Code::operand_count, "select-and-scatter needs three operands");
  auto axes = axes_of(q, q.out(), q.dims_of(1));
  if (!axes) return axes;
  for (const WindowAxis& axis : *axes) {
    if (axis.window.lhs_dilate != 1 || axis.window.rhs_dilate != 1) {
      return fail(Code::bad_attribute, "the window of select-and-scatter must not be dilated");
    }
  }
  return axes;
}

// The initial value: each element starts with it, and a scattered value may replace it.
IndexingSet of_scatter_start(const OpQuery& q, Indexing indexing) {
  if (reducer_use(called_by(q.op, "scatter"), {}).running) return just(std::move(indexing));
  return just(as_superset(std::move(indexing), "a scattered value may replace the initial value"));
}

IndexingSet select_to_input(const OpQuery& q) {
  if (q.operand == 2) return of_scatter_start(q, scalar_indexing(q.out()));
  const auto axes = scatter_axes(q);
  if (!axes) return unknown_set(axes.error());
  if (q.operand == 0) return just(neighbours(*axes, q.out(), q.dims_of(1)));
  return just(as_superset(holders(*axes, q.out(), q.in()), kSelected));
}

IndexingSet select_to_output(const OpQuery& q) {
  if (q.operand == 2) return of_scatter_start(q, whole_indexing(q.in(), q.out()));
  const auto axes = scatter_axes(q);
  if (!axes) return unknown_set(axes.error());
  if (q.operand == 0) return just(neighbours(*axes, q.out(), q.dims_of(1)));
  return just(as_superset(windows(*axes, q.out(), q.in()), kSelected));
}

}  // namespace

constinit const OpRule kReduceWindowRule{reduce_window_to_input, reduce_window_to_output};
constinit const OpRule kSelectAndScatterRule{select_to_input, select_to_output};

}  // namespace tessera::detail
