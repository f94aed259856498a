// SPDX-License-Identifier: Apache-2.0
// `tessera map`: answers questions about index maps.
#include "cli/help.h"
#include "cli/question.h"
#include "cli/verbs.h"
#include "map/image/differences.h"
#include "report/map_answer.h"
#include "tessera/map/judge.h"
#include "tessera/map/map_algebra.h"
#include "tessera/notation/linear_layout.h"
#include "tessera/text/index_map.h"
#include "text/point.h"

namespace tessera::cli {
namespace {

struct MapQuestion {
  std::string action;
  std::vector<std::string> inputs;  // the positional arguments, in order
  std::string points = "replace";
  bool legacy = false;
  bool raw = false;           // do not simplify the composed map
  bool relational = false;    // also invert maps that are not injective
  std::string of = "values";  // what to count
};

using Ask = PrintedAnswer (*)(const MapQuestion&, const Inputs&);

PrintedAnswer answered(const MapQuestion& question, const IndexMap& map) {
  return {.text = to_text(map, {.legacy = question.legacy}), .json = to_json(question.action, map)};
}

Points points_of(const MapQuestion& question) {
  return question.points == "preserve" ? Points::preserve : Points::replace;
}

struct MapInput {
  MapOrUndefined map;
  std::vector<LegacyRuntime> sources = {};  // runtime variables of the older form
};

Result<MapInput> read_answer(const std::string& text) {
  if (is_legacy_form(text)) {
    Result<LegacyMap> legacy = parse_legacy_map(text);
    if (!legacy) return fail(legacy.error());
    return MapInput{std::move(legacy->map), std::move(legacy->runtime)};
  }
  Result<MapOrUndefined> map = parse_map_or_undefined(text);
  if (!map) return fail(map.error());
  return MapInput{*std::move(map)};
}

PrintedAnswer undefined(const MapQuestion& question) {
  return {.text = to_string(UndefinedMap{}), .json = to_json(question.action, UndefinedMap{})};
}

Result<IndexMap> read_map(const std::string& text) {
  if (!is_legacy_form(text)) return parse_index_map(text);
  Result<LegacyMap> legacy = parse_legacy_map(text);
  if (!legacy) return fail(legacy.error());
  return std::move(legacy->map);
}

// True if the map was given only as `KNOWN EMPTY`, without the numbers of variables and results. Such a map
// equals every map without points.
bool is_bare_empty(const IndexMap& map) {
  return map.known_empty() && map.variables().empty() && map.results().empty();
}

Equality equal_texts(const IndexMap& a, const IndexMap& b) {
  if (is_bare_empty(a) == is_bare_empty(b)) return equal(a, b);
  const IndexMap& other = is_bare_empty(a) ? b : a;
  Emptiness emptiness = is_empty(other);
  Equality out{.verdict = emptiness.verdict, .reason = std::move(emptiness.reason)};
  if (emptiness.verdict != Verdict::no) return out;
  out.smallest = false;
  auto value = other.evaluate(emptiness.point);
  out.difference = {.point = std::move(emptiness.point)};
  (&other == &a ? out.difference->first : out.difference->second) = std::move(value);
  return out;
}

PrintedAnswer simplified(const MapQuestion& question, const Inputs& inputs) {
  const Result<MapInput> input = read_answer(inputs[0]);
  if (!input) return unreadable(input.error(), 0);
  const auto* const known = std::get_if<IndexMap>(&input->map);
  if (known == nullptr) return undefined(question);
  const IndexMap simple = simplify(*known, points_of(question));
  return {.text = to_text(simple, {.legacy = question.legacy, .sources = input->sources}),
          .json = to_json(question.action, simple)};
}

// The positions at which runtime values are read, as functions of the dimensions of `from`. `sources` has
// them as functions of the results of `from`. Empty if they also depend on other variables of `from`.
std::vector<LegacyRuntime> sources_behind(const IndexMap& from, const std::vector<LegacyRuntime>& sources) {
  std::vector<LegacyRuntime> out;
  for (const LegacyRuntime& source : sources) {
    const auto place = compose(from, source.map);
    if (!place) return {};
    const IndexMap simple = simplify(*place);
    const auto dims = simple.variables().first(simple.dim_count());
    for (const Expr e : simple.results()) {
      const auto used = variables(e);
      if (!used.empty() && used.back() >= static_cast<Index>(dims.size())) return {};
    }
    out.push_back(
        {source.source, IndexMap::make_unchecked(Domain({dims.begin(), dims.end()}, {}, {}),
                                                 {simple.results().begin(), simple.results().end()})});
  }
  return out;
}

PrintedAnswer answered(const MapQuestion& question, const IndexMap& map,
                       const std::vector<LegacyRuntime>& sources) {
  return {.text = to_text(map, {.legacy = question.legacy, .sources = sources}),
          .json = to_json(question.action, map)};
}

PrintedAnswer evaluated(const MapQuestion& question, const Inputs& inputs) {
  const Result<IndexMap> map = read_map(inputs[0]);
  if (!map) return unreadable(map.error(), 0);
  const Result<std::vector<Index>> point = parse_point(inputs[1]);
  if (!point) return unreadable(point.error(), 1);
  const Result<IndexMap> value = fix_variables(*map, *point);
  if (!value) return no_answer(value.error(), 1);
  return answered(question, *value);
}

PrintedAnswer composed(const MapQuestion& question, const Inputs& inputs) {
  const Result<MapInput> first = read_answer(inputs[0]);
  if (!first) return unreadable(first.error(), 0);
  const Result<MapInput> second = read_answer(inputs[1]);
  if (!second) return unreadable(second.error(), 1);
  const auto* const inner = std::get_if<IndexMap>(&first->map);
  const auto* const outer = std::get_if<IndexMap>(&second->map);
  if (inner != nullptr && outer != nullptr && (is_bare_empty(*inner) || is_bare_empty(*outer)))
    return answered(question, is_bare_empty(*inner) ? *inner : *outer);
  const Result<MapOrUndefined> both = compose(first->map, second->map);
  if (!both) return no_answer(both.error(), 1);
  const auto* const known = std::get_if<IndexMap>(&*both);
  if (known == nullptr) return undefined(question);
  std::vector<LegacyRuntime> sources;
  if (inner != nullptr && outer != nullptr) sources = sources_behind(*inner, second->sources);
  sources.insert(sources.end(), first->sources.begin(), first->sources.end());
  return answered(question, question.raw ? *known : simplify(*known, points_of(question)), sources);
}

PrintedAnswer compared(const MapQuestion& question, const Inputs& inputs) {
  const Result<IndexMap> a = read_map(inputs[0]);
  if (!a) return unreadable(a.error(), 0);
  const Result<IndexMap> b = read_map(inputs[1]);
  if (!b) return unreadable(b.error(), 1);
  const Equality equality = equal_texts(*a, *b);
  std::optional<Count> differing;
  if (equality.difference) differing = count_differences(*a, *b);
  return {.status = status_of(equality.verdict),
          .text = to_text(equality, differing),
          .json = to_json(question.action, equality, differing)};
}

// A linear layout over F2, `d0:1,3 d1:4,8`, is inverted by elimination.
PrintedAnswer inverted_layout(const MapQuestion& question, const std::string& text) {
  const Result<LinearLayout> layout = parse_linear_layout(text);
  if (!layout) return unreadable(layout.error(), 0);
  const Result<IndexMap> back = inverse(*layout);
  return back ? answered(question, *back) : no_answer(back.error(), 0);
}

PrintedAnswer inverted(const MapQuestion& question, const Inputs& inputs) {
  if (inputs[0].starts_with("d0:") || inputs[0].starts_with("ll:"))
    return inverted_layout(question, inputs[0]);
  const Result<MapInput> input = read_answer(inputs[0]);
  if (!input) return unreadable(input.error(), 0);
  const auto* const map = std::get_if<IndexMap>(&input->map);
  if (map == nullptr) return unreadable(parse_index_map(inputs[0]).error(), 0);
  const auto turned = [&](const IndexMap& back) {
    return answered(question, back, sources_behind(back, input->sources));
  };
  const Result<IndexMap> back = question.relational ? relational_inverse(*map) : inverse(*map);
  if (!back) {
    Diagnostic error = back.error();
    if (error.code == Code::not_invertible)
      error.help = "--relational inverts any map as a relation; 'map image' gives the set of results";
    return no_answer(std::move(error), 0);
  }
  return turned(*back);
}

PrintedAnswer imaged(const MapQuestion& question, const Inputs& inputs) {
  const Result<IndexMap> map = read_map(inputs[0]);
  if (!map) return unreadable(map.error(), 0);
  const Image reached = image(*map);
  return {.status = reached.exact ? kDone : kFailed,
          .text = to_text(reached),
          .json = to_json(question.action, reached)};
}

PrintedAnswer counted(const MapQuestion& question, const Inputs& inputs) {
  const Result<IndexMap> map = read_map(inputs[0]);
  if (!map) return unreadable(map.error(), 0);
  const Count number = question.of == "points" ? count_points(*map) : count_image(*map);
  std::string text = to_string(number);
  if (!number.exact()) text += " (" + number.reason + ")";
  return {.status = number.exact() ? kDone : kFailed,
          .text = std::move(text),
          .json = to_json(question.action, number, question.of)};
}

struct VerbArgument {
  const char* name;
  const char* description;
};

// Adds a verb of `map` with its arguments, in order, and the function that answers it.
CLI::App* add_question(CLI::App& map, Session& session, const std::shared_ptr<MapQuestion>& question,
                       const char* description, const std::vector<VerbArgument>& arguments, Ask ask) {
  CLI::App* verb = map.add_subcommand(question->action, description);
  question->inputs.resize(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    verb->add_option(arguments[i].name, question->inputs[i], arguments[i].description)->required();
  }
  add_common_options(*verb, session);
  verb->callback([&session, question, ask] {
    session.action = [&session, question, ask]() -> int {
      if (session.options.json && question->legacy) {
        session.report_argument({.code = Code::bad_option,
                                 .message = "--legacy has no effect with --json",
                                 .help = "JSON always has the current form of a map"},
                                "--legacy");
        return kBadInput;
      }
      return answer(session, {.inputs = question->inputs,
                              .ask = [&](const Inputs& inputs) { return ask(*question, inputs); }});
    };
  });
  return verb;
}

void add_points(CLI::App* verb, MapQuestion& question) {
  verb->add_option("--points", question.points,
                   "a result with a single value becomes that number (replace, the default) or stays an "
                   "expression of the "
                   "dimensions (preserve)")
      ->type_name("replace|preserve")
      ->check(one_of({"replace", "preserve"}));
}

void add_legacy(CLI::App* verb, MapQuestion& question) {
  verb->add_flag("--legacy", question.legacy, "write the older form, on several lines");
}

constexpr const char* kMapArgument = "an index map, current or older form; - reads one per line from stdin";

std::shared_ptr<MapQuestion> question(const char* action) {
  auto made = std::make_shared<MapQuestion>();
  made->action = action;
  return made;
}

}  // namespace

void add_map(CLI::App& app, Session& session) {
  CLI::App* map = app.add_subcommand("map", "questions about index maps that are given as text");
  map->require_subcommand(0, 1);

  auto simplify = question("simplify");
  CLI::App* verb = add_question(*map, session, simplify, "the same map in its shortest form",
                                {{"MAP", kMapArgument}}, simplified);
  add_points(verb, *simplify);
  add_legacy(verb, *simplify);
  verb->footer(R"(Examples:
  tessera map simplify '(d0) -> (d0 mod 8), domain: d0 in [0, 7]'
  printf '(d0) -> (d0 / 8), domain: d0 in [0, 7]\n' | tessera map simplify - --points preserve)");

  auto compose = question("compose");
  verb = add_question(*map, session, compose, "SECOND after FIRST, simplified",
                      {{"FIRST", kMapArgument}, {"SECOND", kMapArgument}}, composed);
  add_points(verb, *compose);
  add_legacy(verb, *compose);
  verb->add_flag("--raw", compose->raw, "do not simplify");
  verb->footer(
      R"(FIRST must have as many results as SECOND has dimensions. Range and runtime variables are those of SECOND,
then those of FIRST.

Examples:
  tessera map compose '(d0) -> (d0 + 5), domain: d0 in [0, 9]' '(d0) -> (d0 * 2), domain: d0 in [0, 9]')");

  auto inverse = question("inverse");
  verb = add_question(*map, session, inverse, "from the results back to the dimensions",
                      {{"MAP", kMapArgument}}, inverted);
  add_legacy(verb, *inverse);
  verb->add_flag("--relational", inverse->relational,
                 "from a result to all points that map to it, one or many; what the result does not "
                 "determine becomes a range variable");
  verb->footer(
      R"(A map that sends two points to one result has no inverse: the witness shows two such points; exit status 1.

Examples:
  tessera map inverse '(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]'
  tessera map inverse --relational '(d0) -> (d0 / 4), domain: d0 in [0, 31]'
  tessera map inverse 'd0:1,3 d1:4,8')");

  auto eval = question("eval");
  verb = add_question(*map, session, eval, "the results at a point",
                      {{"MAP", kMapArgument},
                       {"POINT",
                        "values between commas: one per dimension, or one per variable; - reads one point "
                        "per line from stdin"}},
                      evaluated);
  verb->footer(R"(The answer is a map without dimensions; range and runtime variables without a value stay.
A point outside the domain has no answer; exit status 1.

Examples:
  tessera map eval '(d0, d1) -> (d0 + d1, d1 mod 4), domain: d0 in [0, 9], d1 in [0, 9]' 3,5
  tessera map eval '(d0)[s0] -> (d0, s0), domain: d0 in [0, 9], s0 in [0, 3]' 5)");

  auto equal = question("equal");
  verb = add_question(*map, session, equal, "are two maps the same function on the same domain?",
                      {{"A", kMapArgument}, {"B", kMapArgument}}, compared);
  verb->footer(
      R"(The answer is 'yes' (exit status 0), 'no at POINT: VALUE and VALUE' (1; POINT has one number per variable; outside its
domain a map is 'undefined') with the number of points that differ, or 'undecided: REASON' if a limit was reached (3).

Examples:
  tessera map equal '(d0) -> (d0 / 2 * 2), domain: d0 in [0, 9]' '(d0) -> (d0 - d0 mod 2), domain: d0 in [0, 9]'
  tessera map equal '(d0) -> (d0), domain: d0 in [0, 9]' '(d0) -> (d0 mod 8), domain: d0 in [0, 9]')");

  auto image = question("image");
  verb = add_question(*map, session, image, "the set of results, as constraints on r0, r1, ...",
                      {{"MAP", kMapArgument}}, imaged);
  verb->footer(
      R"(' or ' joins several parts. '(superset: REASON)' follows if the true set of results may be smaller.

Examples:
  tessera map image '(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 3]')");

  auto count = question("count");
  verb =
      add_question(*map, session, count, "the number of different results", {{"MAP", kMapArgument}}, counted);
  verb->add_option("--of", count->of, "values: different results (the default); points: points of the domain")
      ->type_name("values|points")
      ->check(one_of({"values", "points"}));
  verb->footer(R"(The answer is an integer, or a bound: 'between 1 and 400', 'at least 1'.

Examples:
  tessera map count '(d0) -> (d0 / 4), domain: d0 in [0, 31]'
  tessera map count --of points '(d0) -> (d0 / 4), domain: d0 in [0, 31]')");

  add_common_options(*map, session);
}

}  // namespace tessera::cli
