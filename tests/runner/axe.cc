// SPDX-License-Identifier: Apache-2.0
// The file compilers/axe.jsonl: Axe layouts: places, texts, equality, operations, views.
#include "tessera/notation/axe.h"

#include <algorithm>

#include "base/index_walk.h"
#include "notation/axe/axe_canonical.h"
#include "notation/axe/axe_text.h"
#include "runner/check.h"
#include "tessera/notation/atoms.h"
#include "tessera/notation/conversion.h"
#include "tessera/notation/cute.h"
#include "tessera/reshard/placement_views.h"

namespace tessera::vectors::axe {
namespace {

using Indices = std::vector<Index>;

VectorResult refused(const Json& row, const Diagnostic& error) {
  Json expect = {{"error", row.value("error", "none")}};
  Json got = {{"error", to_string(error.code)}};
  if (row.contains("reason")) {
    expect["reason"] = row["reason"];
    got["reason"] = error.reason;
  }
  return VectorResult::when(expect == got, expect.dump(), got.dump() + " " + error.message);
}

// For a row that should succeed or fail: the verdict, or nothing if there is a value to judge.
template <class T>
std::optional<VectorResult> refusal(const Json& row, const Result<T>& got) {
  const bool ok = row.value("ok", true) && !row.contains("error");
  if (!got) return refused(row, got.error());
  if (!ok) return VectorResult::fail(row.dump(), "an answer");
  return std::nullopt;
}

Json axes_json(const Placement& placement) {
  Json out = Json::array();
  for (const PlacementAxis& axis : placement.axes()) out.push_back(axis.name);
  return out;
}

Json points_json(const Placement& placement, const Json& points) {
  Json out = Json::array();
  for (const Json& point : points) {
    const auto found = places(placement, indices(point[0]));
    out.push_back({point[0], found ? Json(*found) : Json(found.error().message)});
  }
  return out;
}

// Whether two layouts have the same axes and the same places for every index, by enumeration.
VectorResult same_relation(const std::string& expected, const AxeLayout& got) {
  const auto parsed = detail::parse_axe(expected, detail::AxeEnds::unchecked);
  if (!parsed) return VectorResult::fail(expected, to_string(parsed.error()));
  const auto a = placement(*parsed);
  const auto b = placement(got);
  if (!a || !b) return VectorResult::fail(expected, "no placement");
  bool same = axes_json(*a) == axes_json(*b) && std::ranges::equal(a->shape(), b->shape());
  Indices index(a->rank(), 0);
  do {
    if (same) same = *places(*a, index) == *places(*b, index);
  } while (same && detail::next_index(index, a->shape()));
  return VectorResult::when(same, expected, to_string(got));
}

VectorResult read(const Json& row) {
  const auto layout = parse_axe(text_of(row, "text"));
  if (!layout) return VectorResult::fail(text_of(row, "print"), to_string(layout.error()));
  const auto placed = placement(*layout);
  if (!placed) return VectorResult::fail("a placement", to_string(placed.error()));
  Json got = {{"print", to_string(*layout)},
              {"shape", layout->shape},
              {"axes", axes_json(*placed)},
              {"points", points_json(*placed, row["points"])}};
  if (const auto counted = scope(*layout)) got["scope"] = {counted->unit, counted->container};
  Json expect;
  for (const char* const key : {"print", "shape", "axes", "points", "scope"}) {
    if (row.contains(key)) expect[key] = row[key];
  }
  const auto again = parse_axe(to_string(*layout));
  if (!again || to_string(*again) != to_string(*layout))
    return VectorResult::fail("the text read back", to_string(*layout));
  return VectorResult::when(got == expect, expect.dump(), got.dump());
}

// The placement on the axes of a row: memory axes that it does not name are 0.
Result<Placement> on_axes(const Placement& placement, const Json& names) {
  std::vector<PlacementAxis> axes;
  PlacementDigits digits = *placement.digits();
  const auto spread = [&](std::vector<Index>& values) {
    std::vector<Index> out;
    for (const Json& name : names) {
      const auto own = placement.axis(name.get<std::string>());
      out.push_back(own ? values[*own] : 0);
    }
    values = std::move(out);
  };
  for (auto* list : {&digits.index, &digits.replicas}) {
    for (PlacementDigit& digit : *list) spread(digit.step);
  }
  spread(digits.offset);
  for (const Json& name : names) {
    const auto own = placement.axis(name.get<std::string>());
    axes.push_back(own ? placement.axes()[*own] : PlacementAxis{name.get<std::string>(), AxisRole::memory});
    if (!own && name != "m") return fail(Code::unknown_name, "an axis that the layout does not name");
    if (own && digits.swizzle && placement.digits()->swizzle->axis == *own)
      digits.swizzle->axis = axes.size() - 1;
  }
  if (names.size() < placement.axes().size()) return fail(Code::unknown_name, "another axis");
  return Placement::make({placement.shape().begin(), placement.shape().end()}, std::move(axes),
                         std::move(digits));
}

VectorResult points(const Json& row) {
  const auto layout = parse_axe(text_of(row, "text"));
  if (!layout) return VectorResult::fail("a layout", to_string(layout.error()));
  const auto own = placement(*layout);
  if (!own) return VectorResult::fail("a placement", to_string(own.error()));
  const auto placed = on_axes(*own, row["axes"]);
  if (!placed) return VectorResult::fail(row["axes"].dump(), to_string(placed.error()));
  const Json got = {axes_json(*placed), points_json(*placed, row["points"])};
  const Json expect = {row["axes"], row["points"]};
  // The one map of the placement says the same.
  const auto by_map =
      Placement::make(layout->shape, {placed->axes().begin(), placed->axes().end()}, placed->maps());
  if (!by_map || points_json(*by_map, row["points"]) != row["points"])
    return VectorResult::fail(expect.dump(), "another map");
  if (row.contains("name")) {
    const std::string name = text_of(row, "name");
    const Atom* const atom = find_atom(name);
    const auto catalogued = parse_layout("atom:" + name);
    if (atom == nullptr || !catalogued) return VectorResult::fail("the atom " + name, "none");
    // The catalogue has 64 columns.
    const bool same_columns = std::ranges::equal(catalogued->shape(), layout->shape);
    for (const Json& point : same_columns ? row["points"] : Json::array()) {
      const Indices index = indices(point[0]);
      if (Json(atom_result(*atom, catalogued->offset(index))) != point[1][0])
        return VectorResult::fail(point.dump(), "another place in atom:" + name);
    }
  }
  return VectorResult::when(got == expect, expect.dump(), got.dump());
}

VectorResult canonical_form(const Json& row) {
  const auto layout = parse_axe(text_of(row, "text"));
  if (!layout) return VectorResult::fail("a layout", to_string(layout.error()));
  const bool fuse = row["fused"].get<bool>();
  const auto one = fuse ? fused(*layout) : layout;
  if (!one) return VectorResult::fail("a layout", to_string(one.error()));
  const AxeLayout got = canonical(*one);
  if (to_string(got) != text_of(row, "print"))
    return VectorResult::fail(text_of(row, "print"), to_string(got));
  return same_relation(to_string(*one), detail::canonical_of_shape(*one));
}

VectorResult equality(const Json& row) {
  const auto a = parse_axe(text_of(row, "a"));
  const auto b = parse_axe(text_of(row, "b"));
  if (!a || !b) return VectorResult::fail("layouts", to_string((a ? b : a).error()));
  const auto answer = tessera::equal(*a, *b);
  if (!answer) return VectorResult::fail("an answer", to_string(answer.error()));
  Json got = {{"equal", answer->verdict == Verdict::yes}};
  if (!answer->reason.empty()) got["reason"] = answer->reason;
  if (answer->verdict == Verdict::no && answer->reason.empty()) {
    got["at"] = answer->at;
    got["a_places"] = answer->a;
    got["b_places"] = answer->b;
    got["a_axes"] = axes_json(*placement(*a));
    got["b_axes"] = axes_json(*placement(*b));
  }
  Json expect;
  for (const char* const key : {"equal", "reason", "at", "a_places", "b_places", "a_axes", "b_axes"}) {
    if (row.contains(key)) expect[key] = row[key];
  }
  return VectorResult::when(got == expect, expect.dump(), got.dump());
}

VectorResult error(const Json& row) {
  const auto layout = parse_axe(text_of(row, "text"));
  if (layout) return VectorResult::fail(row["error"].dump(), to_string(*layout));
  return refused(row, layout.error());
}

VectorResult to_one_axis(const Json& row, const AxeLayout& layout, Notation to) {
  std::optional<std::string> axis;
  if (row.contains("axis")) axis = text_of(row, "axis");
  auto got = layout_of(layout, axis ? std::optional<std::string_view>(*axis) : std::nullopt);
  if (got) {
    auto converted = convert(*got, to);
    got = converted ? Result<Layout>(converted->layout) : fail(converted.error());
  }
  if (auto judged = refusal(row, got)) return *judged;
  const auto expect = parse_layout(text_of(row, "expect"));
  if (!expect) return VectorResult::fail("a layout", to_string(expect.error()));
  bool same = std::ranges::equal(expect->shape(), got->shape()) && got->notation() == to;
  Indices index(got->rank(), 0);
  do {
    if (same) same = expect->offset(index) == got->offset(index);
  } while (same && detail::next_index(index, got->shape()));
  return VectorResult::when(same, to_string(*expect), to_string(*got));
}

bool same_thread_value(const StridedLayout& a, const StridedLayout& b) {
  const auto x = Layout::make(a);
  const auto y = Layout::make(b);
  if (!x || !y || !std::ranges::equal(x->shape(), y->shape())) return false;
  Indices index(x->rank(), 0);
  do {
    if (x->offset(index) != y->offset(index)) return false;
  } while (detail::next_index(index, x->shape()));
  return true;
}

VectorResult to_thread_value(const Json& row, const AxeLayout& layout) {
  const auto got = thread_value(layout);
  if (auto judged = refusal(row, got)) return *judged;
  const auto expect = parse_cute_layout(text_of(row, "expect"));
  if (!expect) return VectorResult::fail("a layout", to_string(expect.error()));
  const auto made = Layout::make(*got);
  const std::string text = print_layout(*got).value_or("none");
  if (!made || Json(Indices(made->shape().begin(), made->shape().end())) != row["sizes"])
    return VectorResult::fail(row["sizes"].dump(), text);
  return VectorResult::when(same_thread_value(expect->layout, *got), text_of(row, "expect"), text);
}

VectorResult to_mesh(const Json& row, const AxeLayout& layout) {
  const auto got = distribution_of(layout);
  if (auto judged = refusal(row, got)) return *judged;
  const auto expect = parse_distribution(text_of(row, "expect"));
  const auto again = parse_distribution(to_string(*got));
  if (!expect || !again) return VectorResult::fail(text_of(row, "expect"), to_string(*got));
  const auto a = bind_distribution(*expect, layout.shape);
  const auto b = bind_distribution(*got, layout.shape);
  if (!a || !b) return VectorResult::fail(text_of(row, "expect"), to_string((a ? b : a).error()));
  const auto same = tessera::equal(*a, *b, DistributionNotion::map);
  return VectorResult::when(same && same->verdict == Verdict::yes && to_string(*again) == to_string(*got),
                            text_of(row, "expect"), to_string(*got));
}

VectorResult conversion(const Json& row) {
  const auto layout = parse_axe(text_of(row, "text"));
  if (!layout) return VectorResult::fail("a layout", to_string(layout.error()));
  const std::string to = text_of(row, "to");
  if (to == "tv") return to_thread_value(row, *layout);
  if (to == "mesh") return to_mesh(row, *layout);
  return to_one_axis(row, *layout, to == "cute" ? Notation::cute : Notation::strides);
}

Result<AxeLayout> from_other(const Json& row) {
  const std::string text = text_of(row, "text");
  const std::string notation = text_of(row, "notation");
  if (notation == "tv") {
    const auto layout = parse_cute_layout(text);
    if (!layout) return fail(layout.error());
    return axe_of_thread_value(layout->layout, indices(row["tile"]), text_of(row, "thread"));
  }
  if (notation == "mesh") {
    const auto distribution = parse_distribution(text);
    if (!distribution) return fail(distribution.error());
    const auto bound = bind_distribution(*distribution, indices(row["shape"]));
    if (!bound) return fail(bound.error());
    return axe_of(*bound);
  }
  const auto layout = parse_layout(text);
  if (!layout) return fail(layout.error());
  return axe_of(*layout);
}

VectorResult from(const Json& row) {
  const auto got = from_other(row);
  if (auto judged = refusal(row, got)) return *judged;
  if (row.contains("atom")) {
    const Atom* const atom = find_atom(text_of(row, "atom"));
    const auto named = atom == nullptr ? Result<TrackedLayout>(fail(Code::unknown_name, "none"))
                                       : parse_cute_layout(atom->layout);
    const auto back = thread_value(*got);
    if (!named || !back || !same_thread_value(named->layout, *back))
      return VectorResult::fail("the atom " + text_of(row, "atom"), to_string(*got));
  }
  return same_relation(text_of(row, "expect"), *got);
}

VectorResult sliced(const Json& row) {
  const auto layout = parse_axe(text_of(row, "text"));
  if (!layout) return VectorResult::fail("a layout", to_string(layout.error()));
  std::vector<AxeRange> region;
  for (const Json& range : row["region"]) region.emplace_back(range[0].get<Index>(), range[1].get<Index>());
  const auto got = slice(*layout, region);
  if (auto judged = refusal(row, got)) return *judged;
  return same_relation(text_of(row, "expect"), *got);
}

VectorResult combined(const Json& row) {
  const bool tiled = text_of(row, "op") == "tile";
  const auto a = parse_axe(text_of(row, tiled ? "outer" : "left"));
  const auto b = parse_axe(text_of(row, tiled ? "inner" : "right"));
  if (!a || !b) return VectorResult::fail("layouts", to_string((a ? b : a).error()));
  const auto got = tiled ? tile(*a, *b) : direct_sum(*a, *b);
  if (auto judged = refusal(row, got)) return *judged;
  return same_relation(text_of(row, "expect"), *got);
}

VectorResult judge(const Json& row) {
  const std::string op = text_of(row, "op");
  if (op == "read") return read(row);
  if (op == "points") return points(row);
  if (op == "canonical") return canonical_form(row);
  if (op == "equal") return equality(row);
  if (op == "error") return error(row);
  if (op == "convert") return conversion(row);
  if (op == "from") return from(row);
  if (op == "slice") return sliced(row);
  if (op == "tile" || op == "direct_sum") return combined(row);
  return unknown_op(row);
}

const Register kAxe = row_check(
    "compilers", "axe.jsonl", judge,
    {"read", "points", "canonical", "equal", "error", "convert", "from", "slice", "tile", "direct_sum"});

}  // namespace
}  // namespace tessera::vectors::axe
