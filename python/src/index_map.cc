// SPDX-License-Identifier: Apache-2.0
// tessera.IndexMap: exact symbolic functions between index spaces.
#include "tessera/map/index_map.h"

#include <fmt/format.h>

#include <memory>

#include "python/src/errors.h"
#include "python/src/index_arrays.h"
#include "python/src/layout_argument.h"
#include "python/src/python.h"
#include "tessera/map/judge.h"
#include "tessera/map/map_algebra.h"
#include "tessera/text/index_map.h"

namespace tessera::python {
namespace {

std::optional<Index> finite(Index bound) {
  if (bound == kNegInf || bound == kPosInf) return {};
  return bound;
}

nb::tuple variables(const IndexMap& map, VariableKind kind) {
  nb::list out;
  for (std::size_t i = 0; i < map.variables().size(); ++i) {
    if (map.domain().kind(i) == kind) out.append(map.domain().name(i));
  }
  return nb::tuple(out);
}

std::string expr_text(const IndexMap& map, Expr expr) {
  return to_string(expr, [&](Index i) { return map.domain().name(static_cast<std::size_t>(i)); });
}

nb::dict bounds(const IndexMap& map) {
  nb::dict out;
  for (std::size_t i = 0; i < map.variables().size(); ++i) {
    const Interval in = map.variables()[i].bounds;
    out[nb::cast(map.domain().name(i))] = nb::make_tuple(finite(in.lower), finite(in.upper));
  }
  return out;
}

nb::tuple constraints(const IndexMap& map) {
  nb::list out;
  for (const Constraint& c : map.constraints()) {
    out.append(nb::make_tuple(expr_text(map, c.expr), finite(c.range.lower), finite(c.range.upper)));
  }
  return nb::tuple(out);
}

nb::tuple results(const IndexMap& map) {
  nb::list out;
  for (const Expr result : map.results()) out.append(expr_text(map, result));
  return nb::tuple(out);
}

nb::tuple value_at(const IndexMap& map, std::span<const Index> point) {
  if (point.size() == map.variables().size() && map.domain().contains(point)) {
    if (const auto values = map.evaluate(point)) return tuple_of(*values);
  }
  if (point.size() != map.variables().size()) {
    raise(Code::value_count,
          fmt::format("the map has {} variables, but {} values are given", map.variables().size(),
                      point.size()),
          "at(...) takes values of the dimensions alone");
  }
  raise(unwrap(fix_variables(map, point)).known_empty()
            ? Diagnostic{.code = Code::undefined_value, .message = "the map has no value at this point"}
            : Diagnostic{.code = Code::undefined_value,
                         .message = "the map's value at this point does not fit in 64 bits"});
}

nb::tuple values_at(const IndexMap& map, const IndexArrays& indices) {
  const std::size_t results = map.results().size();
  std::vector<std::unique_ptr<Index[]>> out;
  for (std::size_t r = 0; r < results; ++r) out.emplace_back(new Index[indices.size()]);
  std::vector<Index> point(indices.variables());
  const bool defined = released([&] {
    for (std::size_t i = 0; i < indices.size(); ++i) {
      indices.read(i, point);
      if (!map.domain().contains(point)) return false;
      for (std::size_t r = 0; r < results; ++r) {
        const std::optional<Index> value = evaluate(map.results()[r], point);
        if (!value) return false;
        out[r][i] = *value;
      }
    }
    return true;
  });
  if (!defined) return value_at(map, point);  // raises
  nb::list arrays;
  for (std::unique_ptr<Index[]>& values : out) arrays.append(indices.array_of(std::move(values)));
  return nb::tuple(arrays);
}

// Calls the map with integers, or with arrays that broadcast.
nb::object call_map(const IndexMap& map, const nb::args& arguments) {
  if (IndexArrays::is_single_index(arguments)) return value_at(map, Indices(arguments).span());
  if (arguments.size() != map.variables().size()) {
    raise(Code::value_count, fmt::format("the map has {} variables, but {} arrays are given",
                                         map.variables().size(), arguments.size()));
  }
  return values_at(map, IndexArrays(arguments));
}

nb::object count_object(const Count& count) {
  if (count.exact()) return nb::int_(count.lower);
  raise(Code::undecided, "the count is not exact: " + to_string(count) + " (" + count.reason + ")",
        "count_bounds() gives the bounds");
}

nb::tuple count_bounds(const IndexMap& map) {
  const Count count = released([&] { return count_image(map); });
  return nb::make_tuple(count.lower, count.upper);
}

}  // namespace

void add_index_map(nb::module_& m) {
  nb::class_<Image>(m, "Image", "The set of values of a map.")
      .def_ro("exact", &Image::exact, "Whether the set is exact; otherwise it contains the values.")
      .def_ro("reason", &Image::reason, "Why the set is only a superset.")
      .def("__str__", [](const Image& i) { return to_string(i); })
      .def("__repr__", [](const Image& i) { return fmt::format("<Image: {}>", to_string(i)); });
  nb::class_<IndexMap>(
      m, "IndexMap",
      "An exact symbolic function between index spaces, in XLA's notation. Immutable.\n\n"
      "``m(2, 3)`` is the tuple of results at a point, with one value for each variable; arrays broadcast.\n"
      "``==`` compares spellings; ``equal`` compares functions.\n\n"
      ">>> m = tessera.IndexMap('(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]')\n"
      ">>> m(2, 3)\n(19,)\n"
      ">>> print(m.inverse())\n"
      "(d0) -> (d0 / 8, d0 mod 8), domain: d0 in [0, 31]")
      .def(
          "__init__",
          [](IndexMap* self, std::string_view text) {
            new (self) IndexMap(unwrap(parse_index_map(text), text));
          },
          "text"_a, "Reads a map. Raises ParseError.")
      .def_prop_ro(
          "dims", [](const IndexMap& f) { return variables(f, VariableKind::dimension); },
          nb::sig("def dims(self) -> tuple[str, ...]"), "Names of the dimensions.")
      .def_prop_ro(
          "ranges", [](const IndexMap& f) { return variables(f, VariableKind::range); },
          nb::sig("def ranges(self) -> tuple[str, ...]"),
          "Names of the range variables, which take every value for each index.")
      .def_prop_ro(
          "runtime", [](const IndexMap& f) { return variables(f, VariableKind::runtime); },
          nb::sig("def runtime(self) -> tuple[str, ...]"),
          "Names of the variables that only the running program knows.")
      .def_prop_ro("bounds", &bounds, nb::sig("def bounds(self) -> dict[str, tuple[int | None, int | None]]"),
                   "The closed interval of each variable; None is unbounded.")
      .def_prop_ro("results", &results, nb::sig("def results(self) -> tuple[str, ...]"),
                   "The results as text.")
      .def_prop_ro("constraints", &constraints,
                   nb::sig("def constraints(self) -> tuple[tuple[str, int | None, int | None], ...]"),
                   "Expressions and the closed intervals in which they lie.")
      .def_prop_ro("known_empty", &IndexMap::known_empty, "Whether the domain is known to have no point.")
      .def(
          "simplify", [](const IndexMap& f) { return released([&] { return simplify(f); }); },
          "The same function on the same domain, in the shortest text found. Exact.\n\n"
          ">>> print(tessera.IndexMap('(d0) -> ((d0 * 8) / 4), domain: d0 in [0, 9]').simplify())\n"
          "(d0) -> (d0 * 2), domain: d0 in [0, 9]")
      .def(
          "compose",
          [](const IndexMap& f, const IndexMap& g) {
            return unwrap(released([&]() -> Result<IndexMap> {
              Result<IndexMap> both = compose(f, g);
              if (both) return simplify(*both);
              return both;
            }));
          },
          "other"_a,
          "``other`` after this map, x -> other(self(x)), simplified, as ``tessera map compose``.\n\n"
          ">>> f = tessera.IndexMap('(d0) -> (d0 + 1), domain: d0 in [0, 3]')\n"
          ">>> print(f.compose(tessera.IndexMap('(d0) -> (d0 * 2), domain: d0 in [0, 9]')))\n"
          "(d0) -> (d0 * 2 + 2), domain: d0 in [0, 3]")
      .def(
          "inverse", [](const IndexMap& f) { return unwrap(released([&] { return inverse(f); })); },
          "The map from results to dimensions. Exact. Raises NotRepresentable (not_invertible), Undecided.")
      .def(
          "relational_inverse",
          [](const IndexMap& f) { return unwrap(released([&] { return relational_inverse(f); })); },
          "All dimension points with a given value: undetermined variables become range variables. Exact. "
          "Raises\nUndecided.")
      .def(
          "restrict",
          [](const IndexMap& f, std::string_view expr, Index lower, Index upper) {
            const Expr parsed = unwrap(parse_expr(expr, f.domain()), expr);
            const std::optional<Interval> range = Interval::make(lower, upper);
            if (!range) {
              raise(Code::bad_option, fmt::format("[{}, {}] is empty", lower, upper), "write lower <= upper");
            }
            return unwrap(restrict_to(f, parsed, *range));
          },
          "expr"_a, "lower"_a, "upper"_a,
          "The map where an expression over its variables lies in [lower, upper].\n\n"
          ">>> print(tessera.IndexMap('(d0) -> (d0), domain: d0 in [0, 9]').restrict('d0 mod 2', 0, 0))\n"
          "(d0) -> (d0), domain: d0 in [0, 9], d0 mod 2 in [0, 0]")
      .def(
          "is_empty",
          [](const IndexMap& f) {
            const Emptiness answer = released([&] { return is_empty(f); });
            if (answer.verdict == Verdict::undecided) raise(Code::undecided, "undecided: " + answer.reason);
            return answer.verdict == Verdict::yes;
          },
          "Whether the domain has no point. Exact. Raises Undecided.")
      .def(
          "within",
          [](const IndexMap& f, const IndexMap& g) {
            const Inclusion answer = released([&] { return footprint_within(f, g); });
            if (answer.verdict == Verdict::undecided) raise(Code::undecided, "undecided: " + answer.reason);
            return answer.verdict == Verdict::yes;
          },
          "other"_a,
          "Whether, at each index, every value of this map over its range variables is a value of the "
          "other.\n"
          "Exact. Raises Undecided.")
      .def(
          "count_points",
          [](const IndexMap& f) { return count_object(released([&] { return count_points(f); })); },
          nb::sig("def count_points(self) -> int"),
          "The number of points of the domain. Raises Undecided unless it is exact.")
      .def(
          "image", [](const IndexMap& f) { return released([&] { return image(f); }); },
          "The set of result tuples.\n\n"
          ">>> tessera.IndexMap('(d0) -> (d0 * 4), domain: d0 in [0, 3]').image()\n"
          "<Image: r0 in [0, 12], r0 mod 4 in [0, 0]>")
      .def(
          "count", [](const IndexMap& f) { return count_object(released([&] { return count_image(f); })); },
          nb::sig("def count(self) -> int"),
          "The number of distinct result tuples. Raises Undecided unless it is exact.")
      .def("count_bounds", &count_bounds, nb::sig("def count_bounds(self) -> tuple[int, int | None]"),
           "Bounds on ``count``; the upper one may be None.")
      .def(
          "equal",
          [](nb::handle a, nb::handle b) {
            return nb::module_::import_("tessera._core").attr("equal")(a, b);
          },
          "other"_a, nb::sig("def equal(self, other: IndexMap) -> Verdict"),
          "Whether both are the same function on the same domain. Exact.")
      .def(
          "fix_variables",
          [](const IndexMap& f, const nb::args& values) {
            return unwrap(fix_variables(f, Indices(values).span()));
          },
          nb::sig("def fix_variables(self, *values: int | tuple[int, ...]) -> IndexMap"),
          "The map with these values for its dimensions, or for all variables: a map over the range and\n"
          "runtime variables that are left.")
      .def("__call__", &call_map,
           nb::sig("def __call__(self, *values: typing.Any) -> tuple[typing.Any, ...]"),
           "The results at a point, or at the points of integer arrays that broadcast. Raises Error\n"
           "(undefined_value) outside the domain.")
      .def("__str__", [](const IndexMap& f) { return to_string(f); })
      .def("__repr__",
           [](const IndexMap& f) { return fmt::format("tessera.IndexMap({})", literal(to_string(f))); })
      .def(
          "__eq__", [](const IndexMap& a, const IndexMap& b) { return a == b; }, nb::is_operator(),
          nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__",
           [](const IndexMap& f) {
             // == ignores names and the order of constraints, so the hash does too.
             std::size_t hash = f.variables().size() * 31 + f.constraints().size();
             for (const Expr e : f.results()) hash = hash * 1000003 ^ std::hash<Expr>()(e);
             return static_cast<Py_ssize_t>(hash >> 1);
           })
      .def(
          "__copy__", [](nb::handle self) { return nb::borrow(self); },
          nb::sig("def __copy__(self) -> IndexMap"))
      .def(
          "__deepcopy__", [](nb::handle self, nb::handle) { return nb::borrow(self); }, "memo"_a,
          nb::sig("def __deepcopy__(self, memo: typing.Any) -> IndexMap"))
      .def(
          "__reduce__",
          [](const IndexMap& f) {
            return nb::make_tuple(nb::type<IndexMap>(), nb::make_tuple(to_string(f)));
          },
          nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"));
}

}  // namespace tessera::python
