// SPDX-License-Identifier: Apache-2.0
// tessera.code and tessera.copy_code: layouts, maps, plans and copies as source code.
#include "tessera/code/code.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "python/src/copied_type.h"
#include "python/src/errors.h"
#include "python/src/layout_argument.h"
#include "python/src/python.h"
#include "tessera/map/map_algebra.h"
#include "tessera/text/index_map.h"

namespace tessera::python {
namespace {

CodeLanguage language_argument(std::string_view word) {
  if (const std::optional<CodeLanguage> language = parse_code_language(word)) return *language;
  std::vector<std::string_view> words;
  for (const CodeLanguage known : all_code_languages()) words.push_back(to_string(known));
  raise(Code::unknown_name, fmt::format("there is no language '{}'", word),
        fmt::format("the languages are {}", fmt::join(words, ", ")));
}

// The C++ object of a Python object, or null.
template <class T>
const T* as(nb::handle value) {
  const T* object = nullptr;
  return nb::try_cast<const T*>(value, object, false) ? object : nullptr;
}

// The map of an IndexMap, of an object with a map such as hlo.OperandMap, or of a text with an arrow.
std::optional<IndexMap> map_argument(nb::handle source) {
  if (const IndexMap* map = as<IndexMap>(source)) return *map;
  if (nb::isinstance<nb::str>(source)) {
    const auto text = nb::cast<std::string_view>(source);
    if (text.find("->") == text.npos || text.starts_with("map:")) return {};
    return unwrap(parse_index_map(text), text);
  }
  if (as<Layout>(source) != nullptr || !nb::hasattr(source, "map")) return {};
  const nb::object map = source.attr("map");
  if (map.is_none()) raise(Code::undecided, "what this operand map reads is unknown");
  const IndexMap* found = as<IndexMap>(map);
  return found == nullptr ? std::optional<IndexMap>() : *found;
}

SourceCode code(nb::handle source, std::string_view lang, bool inverse, bool loop, std::string name,
                bool multiply_high, bool test) {
  const CodeOptions options{.language = language_argument(lang),
                            .name = std::move(name),
                            .multiply_high = multiply_high,
                            .test = test};
  if (inverse && loop)
    raise(Code::bad_option, "inverse and loop exclude each other", "leave one of them out");
  if (const RelayoutPlan* plan = as<RelayoutPlan>(source)) {
    if (inverse || loop)
      raise(Code::bad_option, "inverse and loop have no effect on a plan", "leave them out");
    return unwrap(released([&] { return plan_code(*plan, options); }));
  }
  if (const std::optional<IndexMap> map = map_argument(source)) {
    return unwrap(released([&]() -> Result<SourceCode> {
      if (loop) return loop_code(*map, options);
      if (!inverse) return map_code(*map, options);
      const Result<IndexMap> back = tessera::inverse(*map);
      if (!back) return fail(back.error());
      return map_code(*back, options);
    }));
  }
  const Layout layout = layout_argument(source);
  return unwrap(released([&]() -> Result<SourceCode> {
    if (loop) return loop_code(lower(layout), options);
    return inverse ? inverse_code(layout, options) : offset_code(layout, options);
  }));
}

SourceCode code_of_copy(nb::handle src, nb::handle dst, std::string_view lang, nb::handle dtype, bool plan,
                        std::string name, bool multiply_high, bool test) {
  const Layout from = layout_argument(src);
  const Layout to = layout_argument(dst);
  const CodeOptions options{.language = language_argument(lang),
                            .name = std::move(name),
                            .multiply_high = multiply_high,
                            .test = test};
  const Index bytes = copied_type(from, to, dtype).bytes;
  return unwrap(released([&]() -> Result<SourceCode> {
    if (!plan) return copy_code(from, to, bytes, options);
    const Result<RelayoutPlan> made = make_plan(from, to, bytes);
    if (!made) return fail(made.error());
    return plan_code(*made, options);
  }));
}

nb::tuple fields(const SourceCode& code) {
  return nb::make_tuple(code.text, to_string(code.language), code.test);
}

}  // namespace

void add_code(nb::module_& m) {
  nb::class_<SourceCode>(m, "SourceCode",
                         "Generated source code, and its test if one was requested. ``str`` is the code. "
                         "Immutable.\n\n"
                         ">>> names = {}\n"
                         ">>> exec(tessera.code('f32[3,5]{1,0:T(2,2)}', 'python').text, names)\n"
                         ">>> names['offset'](2, 3)\n17")
      .def(
          "__init__",
          [](SourceCode* self, std::string text, std::string_view language, std::string test) {
            new (self) SourceCode{
                .text = std::move(text), .test = std::move(test), .language = language_argument(language)};
          },
          "text"_a, "language"_a, "test"_a = "")
      .def_ro("text", &SourceCode::text, "The code.")
      .def_ro("test", &SourceCode::test,
              "A program that compares the code with numbers that the library computed; empty unless "
              "requested. It\n"
              "follows ``text`` in the same file, or ``import_line`` in another.")
      .def_prop_ro(
          "language", [](const SourceCode& code) { return to_string(code.language); },
          "``c cpp cuda hip python numpy triton jax mlir``.")
      .def_prop_ro(
          "extension", [](const SourceCode& code) { return file_extension(code.language); },
          "The usual ending of a file in this language.\n\n"
          ">>> tessera.code('(4,8):(8,1)', 'mlir').extension\n'.mlir'")
      .def("import_line", &SourceCode::import_line, "file"_a,
           "What a separate test file needs before ``test`` to import the code from ``file``.")
      .def("__str__", [](const SourceCode& code) { return code.text; })
      .def("__repr__",
           [](const SourceCode& code) {
             return fmt::format("tessera.SourceCode({}, {}, {})", literal(code.text),
                                literal(to_string(code.language)), literal(code.test));
           })
      .def(
          "__eq__", [](const SourceCode& a, const SourceCode& b) { return fields(a).equal(fields(b)); },
          nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def(
          "__hash__", [](const SourceCode& code) { return nb::hash(fields(code)); },
          nb::sig("def __hash__(self) -> int"))
      .def(
          "__reduce__",
          [](const SourceCode& code) { return nb::make_tuple(nb::type<SourceCode>(), fields(code)); },
          nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"));
  m.def(
      "code", &code, "source"_a, "lang"_a = "c", nb::kw_only(), "inverse"_a = false, "loop"_a = false,
      "name"_a = "", "multiply_high"_a = false, "test"_a = false,
      nb::sig("def code(source: Layout | IndexMap | RelayoutPlan | tessera._core.cute.Layout | "
              "tessera._core.cute.ComposedLayout | tessera._core.hlo.OperandMap | str, lang: str = 'c', *, "
              "inverse: bool = False, loop: bool = False, name: str = '', multiply_high: bool = False, test: "
              "bool = False) -> SourceCode"),
      "A layout, an index map or a plan as source code, as ``tessera code`` writes it: the function from an "
      "index\n"
      "to its offset in elements, from the variables of a map to its results, or the copy of a plan.\n\n"
      "``lang``: c, cpp, cuda, hip, python, numpy, triton, jax or mlir. ``inverse``: from an offset to the "
      "index\n"
      "there. ``loop``: loops over all points. ``name``: of the function. ``multiply_high``: divide by "
      "constants\n"
      "other than powers of two by multiplying and shifting. ``test``: also write a test.\n\n"
      "Every intermediate value fits in the integer type that the code uses. Raises Error (bad_option,\n"
      "unknown_name, overflow, unbounded, not_invertible, not_applicable), Undecided.\n\n"
      ">>> print(tessera.code('f32[3,5]{1,0:T(2,2)}', 'python'), end='')\n"
      "# Offset of element (d0, d1) of f32[3,5]{1,0:T(2,2)}, in elements: in [0, 20].\n"
      "# d0 in [0, 2]; d1 in [0, 4]; every intermediate value fits in 32 bits.\n"
      "def offset(d0, d1):\n"
      "    return ((d1 >> 1) + d0) * 2 + (d0 >> 1) * 8 + d1");
  m.def(
      "copy_code", &code_of_copy, "src"_a, "dst"_a, "lang"_a = "c", nb::kw_only(), "dtype"_a = nb::none(),
      "plan"_a = false, "name"_a = "", "multiply_high"_a = false, "test"_a = false,
      nb::sig("def copy_code(src: Layout | str, dst: Layout | str, lang: str = 'c', *, dtype: typing.Any = "
              "None, plan: bool = False, name: str = '', multiply_high: bool = False, test: bool = False) -> "
              "SourceCode"),
      "A function that copies every element between two layouts, as ``tessera code --from --to`` writes it. "
      "The\n"
      "options are those of ``code``; ``dtype`` is needed if the layouts have no element type. ``plan``: "
      "write the loops\n"
      "of the plan, in its unit, which may be wider than an element. CUDA, HIP and "
      "Triton\n"
      "copy one element per thread. Raises Error (missing_layout, different_type, unsupported_width, "
      "broadcast),\n"
      "ShapeError (different_shape).\n\n"
      ">>> names = {}\n"
      ">>> exec(tessera.copy_code('(2,3):(3,1)', '(2,3):(1,2)', 'python', dtype='f32').text, names)\n"
      ">>> dst = [0] * 6\n"
      ">>> names['copy'](dst, [0, 1, 2, 3, 4, 5])\n"
      ">>> dst\n[0, 3, 1, 4, 2, 5]");
}

}  // namespace tessera::python
