// SPDX-License-Identifier: Apache-2.0
// The functions of tessera.cute: those of the calculator, under the same names.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <set>

#include "eval/function.h"
#include "python/src/cute_layout.h"
#include "python/src/errors.h"
#include "tessera/algebra/layout_algebra.h"
#include "tessera/notation/cute.h"

namespace tessera::python {
namespace {

// The result types of functions; functions that are not listed return Any. L means Layout | ComposedLayout.
struct Returns {
  const char* type;
  std::vector<std::string_view> functions;
};
const std::vector<Returns>& returns() {
  static const std::vector<Returns> table = {
      {"int",
       {"rank", "depth", "size", "cosize", "image_min", "image_max", "crd2idx", "max_common_vector",
        "max_alignment"}},
      {"bool",
       {"colex_less", "lex_less", "elem_less", "congruent", "weakly_congruent", "compatible",
        "evenly_divides", "equal", "equal_on", "is_injective", "is_bijective", "is_contiguous"}},
      {"list[int]", {"values"}},
      {"str", {"composition_check", "print_layout"}},
      {"Swizzle", {"make_swizzle", "swizzle_compose", "swizzle_portion"}},
      {"Layout",
       {"make_layout", "make_ordered_layout", "make_layout_like", "make_identity_layout", "complement",
        "max_common_layout", "nullspace", "nonswizzle_portion"}},
      {"tuple[typing.Any, Layout]", {"make_layout_tv"}}};
  return table;
}

// True for functions that Python already has, and for those that write the output of CuTe C++.
bool is_left_out(const FunctionInfo& info) {
  static const std::set<std::string_view> kOwn = {"min", "max", "gcd", "lcm"};
  return kOwn.contains(info.name) || info.name.find('.') != std::string_view::npos;
}

// `def size(X: Any, *i: Any) -> int` for `size(X, i...)`.
std::string signature_of(const FunctionInfo& info) {
  const std::string_view text = info.signature;
  std::string parameters;
  bool optional = false;
  for (std::size_t at = text.find('(') + 1; at < text.size() && text[at] != ')';) {
    optional = optional || text[at] == '[';
    const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    if (!is_word(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string name(text.substr(at, end - at));
    const bool repeats = text.substr(end).starts_with("...");
    parameters += parameters.empty() ? "" : ", ";
    if (repeats) {
      parameters += "*" + name + ": typing.Any";
    } else {
      parameters += name + ": typing.Any" + (optional ? " = ..." : "");
    }
    at = end;
  }
  const bool slash = parameters.find('*') == std::string::npos;
  std::string type = "typing.Any";
  for (const Returns& one : returns()) {
    if (std::ranges::find(one.functions, info.name) != one.functions.end()) type = one.type;
  }
  return fmt::format("def {}({}{}) -> {}", info.name, parameters, slash ? ", /" : "", type);
}

nb::object call_named(const eval::Function& function, const nb::args& arguments) {
  std::vector<Value> values;
  for (const nb::handle argument : arguments) values.push_back(value_argument(argument));
  return object_of(call_function(function.info.name, std::move(values)));
}

// The text of the calculator's --explain for a call with the given arguments.
std::string explain(nb::handle function, const nb::args& arguments) {
  std::string text = nb::isinstance<nb::str>(function) ? nb::cast<std::string>(function)
                                                       : nb::cast<std::string>(function.attr("__name__"));
  text += "(";
  bool first = true;
  for (const nb::handle argument : arguments) {
    text += (first ? "" : ", ") + to_string(value_argument(argument));
    first = false;
  }
  text += ")";
  const Evaluation evaluation = Evaluator().evaluate(text, true);
  std::string out;
  for (const Explanation& one : evaluation.explanations) {
    out += one.call + "\n";
    for (std::size_t i = 0; i < one.steps.size(); ++i)
      out += fmt::format("  {:2}  {}\n", i + 1, one.steps[i]);
    if (!one.result.empty()) out += "   =  " + one.result + "\n";
  }
  if (evaluation.error) raise(*evaluation.error, text);
  return out;
}

// Plain layouts are passed directly to the algebra. If it fails, the calculator's function reports the
// reason.
#define TESSERA_FAST(name)                                   \
  m.def(                                                     \
      #name,                                                 \
      [](const CuteLayout& a, const CuteLayout& b) {         \
        const auto result = tessera::name(a.value, b.value); \
        if (!result) throw nb::next_overload();              \
        return CuteLayout{*result};                          \
      },                                                     \
      "A"_a, "B"_a)
#define TESSERA_FAST_TILER(name)                                    \
  m.def(                                                            \
      #name,                                                        \
      [](const CuteLayout& a, const CuteLayout& b) {                \
        const auto result = tessera::name(a.value, Tiler(b.value)); \
        if (!result) throw nb::next_overload();                     \
        return CuteLayout{*result};                                 \
      },                                                            \
      "L"_a, "T"_a)
#define TESSERA_FAST_ONE(name)                                        \
  m.def(                                                              \
      #name,                                                          \
      [](const CuteLayout& a) {                                       \
        const Outcome<StridedLayout> result = tessera::name(a.value); \
        if (!result) throw nb::next_overload();                       \
        return CuteLayout{*result};                                   \
      },                                                              \
      "L"_a)

void add_fast(nb::module_& m) {
  TESSERA_FAST(composition);
  TESSERA_FAST_TILER(logical_divide);
  TESSERA_FAST_TILER(zipped_divide);
  TESSERA_FAST_TILER(tiled_divide);
  TESSERA_FAST_TILER(flat_divide);
  TESSERA_FAST_TILER(logical_product);
  TESSERA_FAST_TILER(zipped_product);
  TESSERA_FAST_TILER(tiled_product);
  TESSERA_FAST_TILER(flat_product);
  TESSERA_FAST(blocked_product);
  TESSERA_FAST(raked_product);
  TESSERA_FAST_ONE(coalesce);
  TESSERA_FAST_ONE(flatten);
  TESSERA_FAST_ONE(right_inverse);
  TESSERA_FAST_ONE(left_inverse);
  m.def("size", [](const CuteLayout& a) { return a.value.size(); }, "X"_a);
  m.def(
      "complement",
      [](const CuteLayout& a, Index cotarget) {
        const Outcome<StridedLayout> result = tessera::complement(a.value, IntTuple(cotarget));
        if (!result) throw nb::next_overload();
        return CuteLayout{*result};
      },
      "L"_a, "cotarget"_a);
}

}  // namespace

void add_cute_functions(nb::module_& m) {
  add_fast(m);
  // nanobind keeps pointers to the signatures until the module is complete.
  static std::deque<std::string> texts;
  for (const eval::Function& function : eval::function_table()) {
    if (is_left_out(function.info)) continue;
    const std::string& name = texts.emplace_back(function.info.name);
    const std::string& signature = texts.emplace_back(signature_of(function.info));
    const std::string& doc =
        texts.emplace_back(fmt::format("{}: {}. As in ``tessera eval``:\n\n    {}", function.info.signature,
                                       function.info.summary, eval::example_of(function.info.name)));
    m.def(
        name.c_str(), [&function](const nb::args& arguments) { return call_named(function, arguments); },
        nb::sig(signature.c_str()), doc.c_str());
  }
  m.def("explain", &explain, nb::sig("def explain(function: typing.Any, /, *arguments: typing.Any) -> str"),
        "The steps of a call, as ``tessera eval --explain`` prints them. The function is one of this module, "
        "or its\n"
        "name.\n\n"
        ">>> from tessera import cute\n"
        ">>> print(cute.explain('coalesce', '(2,4):(1,2)').splitlines()[0])\n"
        "coalesce((2,4):(1,2))");
  m.def(
      "parse",
      [](std::string_view text) {
        const Value value = value_argument(nb::cast(text));
        return object_of(value);
      },
      "text"_a, nb::sig("def parse(text: str) -> typing.Any"),
      "The value of a text: a layout, a chain, a swizzle, a tuple, or an expression of the calculator.\n\n"
      ">>> from tessera import cute\n"
      ">>> cute.parse('logical_divide((16):(1), 4)')\n"
      "cute.Layout((4,4),(1,4))");
}

}  // namespace tessera::python
