// SPDX-License-Identifier: Apache-2.0
// The functions of tessera.cute: those of the calculator, under the same names.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <set>

#include "eval/examples.h"
#include "eval/function.h"
#include "python/src/cute_layout.h"
#include "python/src/cute_signatures.h"
#include "python/src/errors.h"
#include "tessera/algebra/detail/layout_algebra.h"
#include "tessera/notation/cute.h"

namespace tessera::python {

using namespace tessera::detail;  // NOLINT(google-build-using-namespace): the layout algebra
namespace {

// True for functions that Python already has, for those that write the output of CuTe C++, and for Axe.
bool is_left_out(const FunctionInfo& info) {
  static const std::set<std::string_view> kOwn = {"min", "max", "gcd", "lcm"};
  return kOwn.contains(info.name) || info.name.find('.') != std::string_view::npos ||
         info.group == "Axe layouts";
}

nb::object call_named(const eval::Builtin& function, const nb::args& arguments) {
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

// Keeps the texts of signatures, to which nanobind has pointers until the module is made.
const char* kept(std::string text) {
  static std::deque<std::string> texts;
  return texts.emplace_back(std::move(text)).c_str();
}

// The overload for plain layouts.
const char* plain_signature(std::string_view name) {
  return kept(signatures_of(*eval::find_function(name)).front());
}

// Plain layouts are passed directly to the algebra. If it fails, the calculator's function reports the
// reason; it also warns of tiles that overhang.
template <auto F, bool kDivides = false>
void add_fast(nb::module_& m, const char* name) {
  m.def(
      name,
      [](const CuteLayout& a, const CuteLayout& b) {
        const Outcome<StridedLayout> result = F(a.value, b.value);
        if (!result || (kDivides && result->size() != a.value.size())) throw nb::next_overload();
        return CuteLayout{*result};
      },
      nb::sig(plain_signature(name)));
}
template <auto F>
void add_fast_of_one(nb::module_& m, const char* name) {
  m.def(
      name,
      [](const CuteLayout& a) {
        const Outcome<StridedLayout> result = F(a.value);
        if (!result) throw nb::next_overload();
        return CuteLayout{*result};
      },
      nb::sig(plain_signature(name)));
}
#define TESSERA_FAST(name)                                                                              \
  add_fast<[](const StridedLayout& a, const StridedLayout& b) { return tessera::detail::name(a, b); }>( \
      m, #name)
#define TESSERA_FAST_TILER(name, divides)                       \
  add_fast<[](const StridedLayout& a, const StridedLayout& b) { \
    return tessera::detail::name(a, Tiler(b));                  \
  },                                                            \
           divides>(m, #name)
#define TESSERA_FAST_ONE(name) \
  add_fast_of_one<[](const StridedLayout& a) { return tessera::detail::name(a); }>(m, #name)

// Whether a complement leaves no offset unused.
bool fills(const StridedLayout& layout) {
  const Outcome<bool> tiles = complement_tiles(layout);
  return tiles.ok() && *tiles;
}

void add_fast(nb::module_& m) {
  TESSERA_FAST(composition);
  TESSERA_FAST_TILER(logical_divide, true);
  TESSERA_FAST_TILER(zipped_divide, true);
  TESSERA_FAST_TILER(tiled_divide, true);
  TESSERA_FAST_TILER(flat_divide, true);
  TESSERA_FAST_TILER(logical_product, false);
  TESSERA_FAST_TILER(zipped_product, false);
  TESSERA_FAST_TILER(tiled_product, false);
  TESSERA_FAST_TILER(flat_product, false);
  TESSERA_FAST(blocked_product);
  TESSERA_FAST(raked_product);
  TESSERA_FAST_ONE(coalesce);
  TESSERA_FAST_ONE(right_inverse);
  TESSERA_FAST_ONE(left_inverse);
  m.def(
      "flatten", [](const CuteLayout& a) { return CuteLayout{flatten(a.value)}; },
      nb::sig("def flatten(X: Layout, /) -> Layout"));
  m.def("size", [](const CuteLayout& a) { return a.value.size(); }, nb::sig("def size(X: Layout, /) -> int"));
  m.def(
      "complement",
      [](const CuteLayout& a) {
        const Outcome<StridedLayout> result = complement(a.value);
        if (!result || !fills(a.value)) throw nb::next_overload();
        return CuteLayout{*result};
      },
      nb::sig("def complement(L: Layout, /) -> Layout"));
  m.def(
      "complement",
      [](const CuteLayout& a, Index cotarget) {
        const Outcome<StridedLayout> result = complement(a.value, IntTuple(cotarget));
        if (!result || !fills(a.value)) throw nb::next_overload();
        return CuteLayout{*result};
      },
      nb::sig("def complement(L: Layout, cotarget: int, /) -> Layout"));
}

// In Python a slice with an offset is (layout, offset), and a thread-value layout is (tile, layout). As
// arguments of other functions such tuples are tilers.
void add_parts_of_slices(nb::module_& m) {
  const auto find = [](const nb::tuple& pair, bool layout) -> nb::object {
    if (pair.size() == 2) {
      const bool first = nb::isinstance<CuteLayout>(pair[0]);
      if (first != nb::isinstance<CuteLayout>(pair[1]) && (layout || first))
        return pair[first == layout ? 0 : 1];
    }
    throw nb::next_overload();
  };
  m.def(
      "layout_of", [find](const nb::tuple& pair) { return find(pair, true); },
      nb::sig(plain_signature("layout_of")));
  m.def(
      "offset_of", [find](const nb::tuple& pair) { return find(pair, false); },
      nb::sig("def offset_of(S: tessera._types.Slice, /) -> tessera._types.IntTuple"));
}

}  // namespace

void add_cute_functions(nb::module_& m) {
  add_fast(m);
  add_parts_of_slices(m);
  for (const eval::Builtin& function : eval::function_table()) {
    if (is_left_out(function.info)) continue;
    const char* const name = kept(std::string(function.info.name));
    const char* const doc = kept(fmt::format(
        "{}: {}{} As in ``tessera eval``:\n\n    {}", function.info.signature, function.info.summary,
        function.info.summary.ends_with('?') ? "" : ".", eval::example_of(function.info.name)));
    const auto call = [&function](const nb::args& arguments) { return call_named(function, arguments); };
    const std::vector<std::string> signatures = signatures_of(function);
    // Each of them takes any arguments, so that only the first one runs: the others are for type checkers.
    const bool has_plain = signatures.size() > 1 && nb::hasattr(m, name);
    for (std::size_t i = has_plain ? 1 : 0; i < signatures.size(); ++i) {
      const bool last = i + 1 == signatures.size();
      m.def(name, call, nb::sig(kept(signatures[i])), last ? doc : "");
    }
  }
  m.def("explain", &explain,
        nb::sig("def explain(function: collections.abc.Callable[..., typing.Any] | str, /, *arguments: "
                "tessera._types.Tiler) -> str"),
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
