// SPDX-License-Identifier: Apache-2.0
// tessera.Placement: who holds an element; Axe layouts.
#include "tessera/placement/placement.h"

#include <fmt/format.h>

#include "python/src/errors.h"
#include "python/src/python.h"
#include "tessera/notation/axe.h"
#include "tessera/notation/conversion.h"
#include "tessera/reshard/placement_views.h"

namespace tessera::python {
namespace {

// An Axe layout and its placement.
struct PlacedAxe {
  AxeLayout layout;
  Placement placed;
};

PlacedAxe placed_axe(AxeLayout layout) {
  Placement placed = unwrap(placement(layout));
  return {std::move(layout), std::move(placed)};
}

nb::object place_dict(const Place& place, std::span<const PlacementAxis> axes) {
  nb::dict out;
  for (std::size_t a = 0; a < axes.size(); ++a) out[axes[a].name.c_str()] = place[a];
  return out;
}

nb::list places_list(const PlacedAxe& self, const std::vector<Index>& index) {
  nb::list out;
  for (const Place& place : unwrap(places(self.placed, index)))
    out.append(place_dict(place, self.placed.axes()));
  return out;
}

nb::object converted(const PlacedAxe& self, const std::string& to, const std::optional<std::string>& axis) {
  if (to == "tv") return nb::cast(to_string(unwrap(Layout::make(unwrap(thread_value(self.layout))))));
  if (to == "mesh") return nb::cast(to_string(unwrap(distribution_of(self.layout))));
  if (to == "axe" && !axis) return nb::cast(to_string(self.layout));
  const auto notation = parse_notation(to);
  if (!notation)
    raise(Code::bad_option, fmt::format("'{}' is not a notation", to), "tv, mesh, axe, cute, strides, ...");
  const Layout layout =
      unwrap(layout_of(self.layout, axis ? std::optional<std::string_view>(*axis) : std::nullopt));
  return nb::cast(to_prefixed_string(unwrap(convert(layout, *notation)).layout));
}

}  // namespace

void add_placement(nb::module_& m) {
  nb::class_<PlacedAxe>(m, "Placement",
                        "Who holds an element: for each index the places on named axes, as an Axe layout. "
                        "Immutable.\n\n"
                        ">>> p = tessera.Placement('axe:S[(8,4):(4@laneid,1@laneid)] + R[2:1@warpid]')\n"
                        ">>> p.places((7, 3))\n"
                        "[{'warpid': 0, 'laneid': 31}, {'warpid': 1, 'laneid': 31}]")
      .def(
          "__init__",
          [](PlacedAxe* self, const std::string& text) {
            new (self) PlacedAxe(placed_axe(unwrap(parse_axe(text), text)));
          },
          "text"_a, "Reads ``axe:8x16:S[...]``, or what TIRx prints. Raises ParseError.")
      .def("__str__", [](const PlacedAxe& self) { return to_string(self.layout); })
      .def("__repr__",
           [](const PlacedAxe& self) { return fmt::format("Placement('{}')", to_string(self.layout)); })
      .def_prop_ro(
          "shape", [](const PlacedAxe& self) { return nb::tuple(nb::cast(self.layout.shape)); },
          nb::sig("def shape(self) -> tuple[int, ...]"), "The extents of the index.")
      .def_prop_ro(
          "axes",
          [](const PlacedAxe& self) {
            nb::dict out;
            for (const PlacementAxis& axis : self.placed.axes())
              out[axis.name.c_str()] = std::string(to_string(axis.role));
            return out;
          },
          nb::sig("def axes(self) -> dict[str, str]"), "The axes in their order: ``memory`` or ``place``.")
      .def("places", &places_list, "index"_a,
           nb::sig("def places(self, index: collections.abc.Sequence[int]) -> list[dict[str, int]]"),
           "All places of an index, one for each replica, by axis.")
      .def(
          "canonical", [](const PlacedAxe& self) { return placed_axe(canonical(self.layout)); },
          "Joined iterators, sorted replicas; the same places.")
      .def(
          "fuse", [](const PlacedAxe& self) { return placed_axe(unwrap(fused(self.layout))); },
          "All thread axes as one: lanes and warps become ``tx``.")
      .def(
          "slice",
          [](const PlacedAxe& self, const std::vector<std::pair<Index, Index>>& ranges) {
            return placed_axe(unwrap(slice(self.layout, ranges)));
          },
          "ranges"_a, "The part of each dimension from begin up to end. Raises NotRepresentable.")
      .def(
          "tile",
          [](const PlacedAxe& self, const PlacedAxe& inner) {
            return placed_axe(unwrap(tile(self.layout, inner.layout)));
          },
          "inner"_a, "A copy of ``inner`` for each index of this one, as TIRx tiles.")
      .def(
          "direct_sum",
          [](const PlacedAxe& self, const PlacedAxe& right) {
            return placed_axe(unwrap(direct_sum(self.layout, right.layout)));
          },
          "right"_a, "Over the dimensions of both in turn: the sum of both places.")
      .def(
          "equal",
          [](const PlacedAxe& self, const PlacedAxe& other) {
            const PlacementEquality out = unwrap(tessera::equal(self.layout, other.layout));
            if (out.verdict == Verdict::undecided) raise(Code::undecided, out.reason);
            return out.verdict == Verdict::yes;
          },
          "other"_a, "Whether every index has the same places in both, after ``fuse``. Raises Undecided.")
      .def("to", &converted, "notation"_a, "axis"_a = nb::none(),
           nb::sig("def to(self, notation: str, axis: str | None = None) -> str"),
           "The text in another notation: ``tv`` (threads and values), ``mesh``, ``axe``, or one of a "
           "layout, of "
           "the given\naxis or the only one. Raises NotRepresentable.");
}

}  // namespace tessera::python
