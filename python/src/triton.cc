// SPDX-License-Identifier: Apache-2.0
// tessera.TritonLayout: layouts of Triton and Gluon; and what their conversions cost.
#include "python/src/triton.h"

#include <fmt/format.h>

#include "notation/axe/axe_of_triton.h"
#include "python/src/errors.h"
#include "python/src/layout_argument.h"
#include "python/src/limits.h"
#include "python/src/python.h"
#include "report/ttgir_answer.h"
#include "tessera/notation/conversion.h"
#include "tessera/notation/layout.h"
#include "tessera/notation/triton_layout.h"
#include "tessera/relayout/register_plan.h"
#include "tessera/ttgir/ttgir.h"
#include "verbs/register_plan.h"

namespace tessera::python {
namespace {

TritonLayout read_triton(const std::string& text) {
  return unwrap(released([&] { return parse_triton_layout(text); }), text);
}

// The text of a layout: a string, Gluon's own object by its repr, or bases by the names of their inputs.
std::string text_of(nb::handle value) {
  if (nb::isinstance<nb::str>(value)) return nb::cast<std::string>(value);
  if (nb::hasattr(value, "reg_bases") && nb::hasattr(value, "lane_bases") &&
      nb::hasattr(value, "warp_bases") && nb::hasattr(value, "block_bases") && nb::hasattr(value, "shape")) {
    const auto part = [&](const char* name) {
      return nb::cast<std::string>(nb::repr(nb::list(value.attr(name))));
    };
    return fmt::format(
        "DistributedLinearLayout(reg_bases={}, lane_bases={}, warp_bases={}, block_bases={}, shape={})",
        part("reg_bases"), part("lane_bases"), part("warp_bases"), part("block_bases"), part("shape"));
  }
  return nb::cast<std::string>(nb::repr(value));
}

}  // namespace

TritonLayout triton_argument(nb::handle value) { return read_triton(text_of(value)); }

namespace {

TritonBases bases_of(const TritonLayout& layout, const std::optional<std::vector<Index>>& shape) {
  if (!shape) return unwrap(triton_bases(layout));
  return unwrap(triton_bases(layout.attribute, *shape, layout.element));
}

nb::dict bases_dict(const TritonLayout& layout, const std::optional<std::vector<Index>>& shape) {
  const TritonBases bases = bases_of(layout, shape);
  nb::dict out;
  for (const TritonInput& input : bases.inputs) {
    nb::list list;
    for (const std::vector<Index>& basis : input.bases) list.append(tuple_of(basis));
    out[nb::str(input.name.data(), input.name.size())] = list;
  }
  return out;
}

nb::list holders_of(const TritonLayout& layout, const std::vector<Index>& index,
                    const std::optional<std::vector<Index>>& shape) {
  const TritonHolders holders = unwrap(triton_holders(bases_of(layout, shape), index, kPythonLimits.holders));
  if (holders.count > std::ssize(holders.places))
    raise(Code::limit, fmt::format("{} places hold the element, and at most {} are listed", holders.count,
                                   kPythonLimits.holders));
  nb::list out;
  for (const TritonPlace& p : holders.places) out.append(nb::make_tuple(p.reg, p.lane, p.warp, p.block));
  return out;
}

nb::tuple element_of(const TritonLayout& layout, Index reg, Index lane, Index warp, Index block,
                     const std::optional<std::vector<Index>>& shape) {
  return tuple_of(
      unwrap(triton_element(bases_of(layout, shape), std::vector<Index>{reg, lane, warp, block})));
}

std::string gluon_of(const TritonLayout& layout) {
  const auto text = to_gluon(layout.attribute);
  if (!text) raise(Code::not_representable, "Gluon has no class for this layout");
  return *text;
}

// `ttg` and `gluon` are texts; other notations are layouts on a shape, and Axe a placement of several axes.
nb::object converted_triton(const TritonLayout& layout, const std::string& notation,
                            const std::optional<std::vector<Index>>& shape) {
  if (notation == "ttg" || notation == "triton") return nb::str(to_string(layout.attribute).c_str());
  if (notation == "gluon") return nb::str(gluon_of(layout).c_str());
  TritonLayout whole = layout;
  if (shape) {
    whole.shape = *shape;
    whole.form = TritonForm::shape;
    whole.allocated.reset();
  }
  if (parse_notation(notation) == Notation::axe && whole.shape && detail::has_axes(whole)) {
    const std::string axe = to_string(unwrap(detail::axe_of_triton(whole)));
    return nb::module_::import_("tessera._core").attr("Placement")(axe);
  }
  const Layout own = unwrap(Layout::make(whole));
  return nb::cast(unwrap(convert(own, notation_argument(notation))).layout);
}

std::string plan_json(const TritonLayout& from, const TritonLayout& to, const std::string& type,
                      const std::string& target) {
  return to_json(unwrap(released([&] { return verbs::register_plan(from, to, type, target); })));
}

std::string report_json(const std::string& text, const std::string& name) {
  const TtgirReport report = unwrap(released([&] { return read_ttgir(text); }));
  return to_json(name, report);
}

}  // namespace

void add_triton(nb::module_& m) {
  nb::class_<TritonLayout>(
      m, "TritonLayout",
      "A layout of Triton or Gluon: an attribute, a type, Gluon's Python, or an object of "
      "Gluon. Immutable.\n\n"
      ">>> layout = tessera.TritonLayout('BlockedLayout([1,2],[4,8],[2,1],[1,0])')\n"
      ">>> layout.holders((3, 5), shape=(16, 16))\n[(1, 26, 0, 0)]")
      .def(
          "__init__",
          [](TritonLayout* self, nb::object value) { new (self) TritonLayout(triton_argument(value)); },
          "layout"_a, nb::sig("def __init__(self, layout: typing.Any) -> None"),
          "Reads a text, the repr of Gluon's object, or an object with reg_bases, lane_bases, warp_bases, "
          "block_bases and shape. Raises ParseError.")
      .def_prop_ro(
          "kind", [](const TritonLayout& l) { return std::string(to_string(l.attribute.kind)); },
          "The name of the attribute: ``blocked``.")
      .def_prop_ro(
          "shape",
          [](const TritonLayout& l) -> std::optional<nb::tuple> {
            if (!l.shape) return std::nullopt;
            return tuple_of(*l.shape);
          },
          nb::sig("def shape(self) -> tuple[int, ...] | None"), "The shape of the text, if it has one.")
      .def_prop_ro(
          "layout", [](const TritonLayout& l) { return unwrap(Layout::make(l)); },
          "The Layout: from (thread, register) to the element, or from the element to the offset. Needs a "
          "shape.")
      .def("bases", &bases_dict, "shape"_a = nb::none(),
           nb::sig("def bases(self, shape: collections.abc.Sequence[int] | None = None) -> dict[str, "
                   "list[tuple[int, ...]]]"),
           "The tensor coordinates of each bit of each input: register, lane, warp, block, or offset, block.")
      .def("holders", &holders_of, "index"_a, "shape"_a = nb::none(),
           nb::sig("def holders(self, index: collections.abc.Sequence[int], shape: "
                   "collections.abc.Sequence[int] | None = None) -> list[tuple[int, int, int, int]]"),
           "Who holds an element: all (register, lane, warp, block). Raises Error for more than 2^20 "
           "places.")
      .def("element", &element_of, "register"_a, "lane"_a = 0, "warp"_a = 0, "block"_a = 0,
           "shape"_a = nb::none(),
           nb::sig("def element(self, register: int, lane: int = 0, warp: int = 0, block: int = 0, shape: "
                   "collections.abc.Sequence[int] | None = None) -> tuple[int, ...]"),
           "The index of the element in a register.")
      .def("to", &converted_triton, "notation"_a, "shape"_a = nb::none(),
           nb::sig(
               "def to(self, notation: str, shape: collections.abc.Sequence[int] | None = None) -> Layout | "
               "Placement | str"),
           "The same function in another notation. ``ttg`` is the attribute of today's Triton and ``gluon`` "
           "the class of Gluon, as texts; other notations need a shape. ``axe`` is a Placement, unless the "
           "elements are in the memory of one block.\n\n"
           ">>> str(tessera.layout('BlockedLayout([1,2],[4,8],[2,1],[1,0])').to('cute', (16, 16)))\n"
           "'((8,8),(2,2)):((32,1),(16,8))'")
      .def_prop_ro("gluon", &gluon_of, "The text of Gluon. Raises NotRepresentable if there is no class.")
      .def("__str__", [](const TritonLayout& l) { return to_string(l); })
      .def("__repr__", [](const TritonLayout& l) { return fmt::format("TritonLayout('{}')", to_string(l)); })
      .def(
          "__eq__", [](const TritonLayout& a, const TritonLayout& b) { return a == b; }, nb::is_operator(),
          nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](const TritonLayout& l) { return std::hash<std::string>()(to_string(l)); });
  m.def("_register_plan_json", &plan_json, "from_layout"_a, "to_layout"_a, "type"_a, "target"_a,
        nb::sig("def _register_plan_json(from_layout: TritonLayout, to_layout: TritonLayout, type: str, "
                "target: str) "
                "-> str"));
  m.def("_ttgir_json", &report_json, "text"_a, "name"_a,
        nb::sig("def _ttgir_json(text: str, name: str) -> str"));
}

}  // namespace tessera::python
