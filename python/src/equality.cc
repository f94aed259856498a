// SPDX-License-Identifier: Apache-2.0
// tessera.equal and its verdict.
#include <fmt/format.h>

#include "python/src/errors.h"
#include "python/src/layout_argument.h"
#include "python/src/python.h"
#include "report/layout_answer.h"
#include "tessera/map/index_map.h"
#include "tessera/map/judge.h"
#include "tessera/map/map_algebra.h"
#include "tessera/notation/conversion.h"
#include "tessera/notation/digits.h"
#include "tessera/notation/named_layout.h"

namespace tessera::python {
namespace {

// The answer to an exact question, as a Python object.
struct PythonVerdict {
  Verdict verdict = Verdict::undecided;
  nb::object counterexample = nb::none();
  std::string proof = {};
  std::string reason = {};
  std::string text = {};
};

// The proof that two layouts are the same function, as a word.
std::string proof_of(const Layout& a, const Layout& b, EqualityNotion notion) {
  if (notion == EqualityNotion::text || notion == EqualityNotion::structure)
    return std::string(to_string(notion));
  if (a == b) return "structure";
  if (a.known_digits() != nullptr && b.known_digits() != nullptr) return "digits";
  const std::optional<LinearLayout> bases = linear_form(a);
  if (bases && bases == linear_form(b)) return "bases";
  return "judge";
}

EqualityNotion notion_argument(std::string_view word) {
  if (const auto notion = parse_equality_notion(word)) return *notion;
  raise(Code::bad_option, fmt::format("'{}' is not a kind of equality", word),
        "write text, structure, map or storage");
}

PythonVerdict verdict_of(const LayoutEquality& equality) {
  PythonVerdict answer{.verdict = equality.verdict, .reason = equality.reason, .text = to_string(equality)};
  if (equality.difference) {
    answer.counterexample = nb::make_tuple(tuple_of(equality.difference->index), equality.difference->first,
                                           equality.difference->second);
  }
  return answer;
}

PythonVerdict layouts_equal(const Layout& a, const Layout& b, EqualityNotion notion) {
  PythonVerdict answer = verdict_of(released([&] { return equal(a, b, notion); }));
  if (answer.verdict == Verdict::yes) answer.proof = proof_of(a, b, notion);
  return answer;
}

// An object or a text that has a name, if it is one.
std::optional<NamedLayout> named_argument(nb::handle value) {
  const NamedLayout* named = nullptr;
  if (nb::try_cast<const NamedLayout*>(value, named) && named != nullptr) return *named;
  std::string text;
  if (!nb::try_cast<std::string>(value, text) || !is_named_text(text)) return std::nullopt;
  return unwrap(parse_named_layout(text), text);
}

// Names are compared cell by cell or, if one is of kind bits, bit by bit.
PythonVerdict named_equal(nb::handle a, nb::handle b, std::string_view word) {
  const auto side = [](nb::handle value) {
    NamedOrLayout out;
    out.named = named_argument(value);
    if (!out.named) out.layout = layout_argument(value);
    if (out.named && out.named->kind() == NamedKind::cells) out.layout = unwrap(Layout::make(*out.named));
    return out;
  };
  const NamedOrLayout first = side(a);
  const NamedOrLayout second = side(b);
  const EqualityNotion notion = notion_argument(word);
  PythonVerdict answer = verdict_of(unwrap(released([&] { return equal(first, second, notion); })));
  if (answer.verdict != Verdict::yes) return answer;
  answer.proof = first.named && first.named == second.named ? "structure"
                 : first.layout && second.layout            ? proof_of(*first.layout, *second.layout, notion)
                                                            : "judge";
  return answer;
}

nb::object values_of(const std::optional<std::vector<Index>>& values) {
  return values ? nb::object(tuple_of(*values)) : nb::none();
}

PythonVerdict maps_equal(const IndexMap& a, const IndexMap& b) {
  const Equality equality = released([&] { return equal(a, b); });
  PythonVerdict answer{.verdict = equality.verdict, .reason = equality.reason};
  if (equality.difference) {
    answer.counterexample =
        nb::make_tuple(tuple_of(equality.difference->point), values_of(equality.difference->first),
                       values_of(equality.difference->second));
  }
  if (equality.verdict == Verdict::yes) {
    answer.proof = a == b ? "structure" : equal_forms(a, b).value_or(false) ? "normal form" : "judge";
  }
  answer.text = equality.verdict == Verdict::yes  ? "yes"
                : equality.verdict == Verdict::no ? "no"
                                                  : "undecided: " + equality.reason;
  return answer;
}

PythonVerdict equal_objects(nb::handle a, nb::handle b, std::string_view notion) {
  const IndexMap* first = nullptr;
  const IndexMap* second = nullptr;
  if (nb::try_cast<const IndexMap*>(a, first) && nb::try_cast<const IndexMap*>(b, second) &&
      first != nullptr && second != nullptr) {
    return maps_equal(*first, *second);
  }
  if (named_argument(a) || named_argument(b)) return named_equal(a, b, notion);
  return layouts_equal(layout_argument(a), layout_argument(b), notion_argument(notion));
}

bool truth(const PythonVerdict& answer) {
  if (answer.verdict != Verdict::undecided) return answer.verdict == Verdict::yes;
  raise(Code::undecided, "the question is undecided: " + answer.reason, "check .undecided before bool()");
}

}  // namespace

void add_equality(nb::module_& m) {
  nb::class_<PythonVerdict>(m, "Verdict",
                            "Yes, no, or undecided. ``bool()`` of an undecided verdict raises Undecided.\n\n"
                            ">>> verdict = tessera.equal('(4,8):(8,1)', '(4,8):(1,4)')\n"
                            ">>> bool(verdict), verdict.counterexample\n"
                            "(False, ((0, 1), 1, 4))")
      .def("__bool__", &truth)
      .def_prop_ro(
          "undecided", [](const PythonVerdict& a) { return a.verdict == Verdict::undecided; },
          "Whether a limit was reached; ``reason`` names it.")
      .def_prop_ro(
          "counterexample", [](const PythonVerdict& a) { return a.counterexample; },
          nb::sig("def counterexample(self) -> tuple[typing.Any, ...] | None"),
          "For no: the smallest index that differs and both values there, unless shapes differ.")
      .def_prop_ro(
          "proof",
          [](const PythonVerdict& a) -> std::optional<std::string> {
            if (a.proof.empty()) return {};
            return a.proof;
          },
          "For yes: what is equal. ``text``, ``structure``, ``digits``, ``bases`` over F2, ``normal form``, "
          "or\n"
          "``judge`` for enumeration or isl.")
      .def_ro("reason", &PythonVerdict::reason,
              "Another difference, such as the shapes; or the limit that was reached.")
      .def("__str__", [](const PythonVerdict& a) { return a.text; })
      .def("__repr__", [](const PythonVerdict& a) { return fmt::format("<Verdict: {}>", a.text); });
  m.def(
      "equal", &equal_objects, "a"_a, "b"_a, "notion"_a = "map",
      nb::sig("def equal(a: Layout | NamedLayout | IndexMap | str, b: Layout | NamedLayout | IndexMap | str, "
              "notion: str = 'map') -> Verdict"),
      "Whether two layouts are the same function on the same box, or two maps on the same domain. Exact.\n"
      "Layouts with names of kind bits are compared bit by bit.\n\n"
      "``notion``: ``map``; ``storage`` also compares buffer sizes and element widths; ``structure`` and\n"
      "``text`` compare spellings.\n\n"
      ">>> bool(tessera.equal('f32[4,6]{1,0:T(2,3)}', '((2,2),(3,2)):((3,12),(1,6))'))\n"
      "True");
}

}  // namespace tessera::python
