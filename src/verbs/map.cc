// SPDX-License-Identifier: Apache-2.0
#include "verbs/map.h"

#include <fmt/format.h>

#include <tuple>

#include "map/image/differences.h"
#include "notation/symbolic/symbolic_map.h"
#include "notation/symbolic/symbolic_map_answers.h"
#include "notation/symbolic/symbolic_map_cases.h"
#include "report/exit_status.h"
#include "report/sized_answer.h"
#include "tessera/map/judge.h"
#include "tessera/map/map_algebra.h"
#include "text/point.h"
#include "verbs/map_names.h"

namespace tessera::verbs {
namespace {

// True if the map was given only as `KNOWN EMPTY`, without the numbers of variables and results. Such a map
// equals every map without points.
bool is_bare_empty(const IndexMap& map) {
  return map.known_empty() && map.variables().empty() && map.results().empty();
}

Equality equal_texts(const IndexMap& a, const IndexMap& b) {
  if (is_bare_empty(a) == is_bare_empty(b)) return tessera::equal(a, b);
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

constexpr std::string_view kNoOlderForm = "the older form has no names for sizes";

Result<MapResult> in_cases(std::string_view action, Result<symbolic::SizedAnswers> answers,
                           std::string_view map = "map") {
  if (answers) return MapResult(action, *std::move(answers));
  return bad_input_at(map, std::move(answers.error()));
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

}  // namespace

namespace {

/// Whether a text that is not a map of numbers may be one with names for sizes.
bool may_have_names(const std::string& text) {
  return !symbolic::declared_names(text).empty() || symbolic::has_sizes(text);
}

Result<MapInput> map_of_numbers(const std::string& text) {
  if (is_legacy_form(text)) {
    Result<LegacyMap> legacy = parse_legacy_map(text);
    if (!legacy) return fail(std::move(legacy.error()));
    return MapInput{std::move(legacy->map), std::move(legacy->runtime)};
  }
  Result<MapOrUndefined> map = parse_map_or_undefined(text);
  if (!map) return fail(std::move(map.error()));
  return MapInput{.map = *std::move(map)};
}

}  // namespace

Result<MapInput> Reading<MapInput>::read(const std::string& text) {
  Result<MapInput> map = map_of_numbers(text);
  if (map || !may_have_names(text)) return map;
  return MapInput{.unread = std::move(map.error())};
}

Result<IndexMap> Reading<IndexMap>::read(const std::string& text) {
  if (!is_legacy_form(text)) return parse_index_map(text);
  Result<LegacyMap> legacy = parse_legacy_map(text);
  if (!legacy) return fail(std::move(legacy.error()));
  return std::move(legacy->map);
}

Result<MapOrNames> Reading<MapOrNames>::read(const std::string& text) {
  Result<IndexMap> map = Reading<IndexMap>::read(text);
  if (map) return MapOrNames{.map = *std::move(map)};
  if (!may_have_names(text)) return fail(std::move(map.error()));
  return MapOrNames{.unread = std::move(map.error())};
}

Result<MapOrLinear> Reading<MapOrLinear>::read(const std::string& text) {
  if (text.starts_with("d0:") || text.starts_with("ll:")) {
    Result<LinearLayout> layout = parse_linear_layout(text);
    if (!layout) return fail(std::move(layout.error()));
    return MapOrLinear(*std::move(layout));
  }
  Result<MapInput> map = Reading<MapInput>::read(text);
  if (!map) return fail(std::move(map.error()));
  // An undefined map has no inverse; this is the error of a text that must be a map.
  if (std::holds_alternative<UndefinedMap>(map->map)) return fail(parse_index_map(text).error());
  return MapOrLinear(*std::move(map));
}

int MapResult::status() const {
  if (const auto* const compared = std::get_if<MapComparison>(&value_))
    return status_of(compared->equality.verdict);
  if (const auto* const sized = std::get_if<SizedMapAnswer>(&value_)) return status_of(sized->answer);
  if (const auto* const cases = std::get_if<symbolic::SizedAnswers>(&value_))
    return tessera::status_of(*cases);
  if (const auto* const image = std::get_if<Image>(&value_)) return image->exact ? kDone : kFailed;
  if (const auto* const counted = std::get_if<MapCount>(&value_))
    return counted->count.exact() ? kDone : kFailed;
  return kDone;
}

Result<std::string> MapResult::to_text(const Terminal& /*terminal*/) const {
  if (const auto* const compared = std::get_if<MapComparison>(&value_))
    return tessera::to_text(compared->equality, compared->differing);
  if (const auto* const sized = std::get_if<SizedMapAnswer>(&value_)) return to_string(sized->answer);
  if (const auto* const cases = std::get_if<symbolic::SizedAnswers>(&value_))
    return tessera::to_text(*cases, 0, {.all = true});
  if (const auto* const image = std::get_if<Image>(&value_)) return tessera::to_text(*image);
  if (const auto* const counted = std::get_if<MapCount>(&value_)) {
    const Count& count = counted->count;
    return to_string(count) + (count.exact() ? "" : " (" + count.reason + ")");
  }
  const auto& [map, options] = std::get<MapAnswer>(value_);
  const auto* const known = std::get_if<IndexMap>(&map);
  return known == nullptr ? to_string(UndefinedMap{}) : tessera::to_text(*known, options);
}

Result<std::string> MapResult::to_json() const {
  if (const auto* const compared = std::get_if<MapComparison>(&value_))
    return tessera::to_json(action_, compared->equality, compared->differing);
  if (const auto* const sized = std::get_if<SizedMapAnswer>(&value_))
    return map_answer_json(action_, sized->where, sized->answer);
  if (const auto* const cases = std::get_if<symbolic::SizedAnswers>(&value_))
    return map_cases_json(action_, *cases);
  if (const auto* const image = std::get_if<Image>(&value_)) return tessera::to_json(action_, *image);
  if (const auto* const counted = std::get_if<MapCount>(&value_))
    return tessera::to_json(action_, counted->count,
                            Words<CountOf>::words[static_cast<std::size_t>(counted->of)]);
  const auto& [map, options] = std::get<MapAnswer>(value_);
  // JSON always has the current form of a map.
  const auto* const known = std::get_if<IndexMap>(&map);
  return known == nullptr ? tessera::to_json(action_, UndefinedMap{}) : tessera::to_json(action_, *known);
}

std::vector<std::string> MapResult::hints() const {
  if (const auto* const sized = std::get_if<SizedMapAnswer>(&value_)) return sized->answer.notes;
  const auto* const cases = std::get_if<symbolic::SizedAnswers>(&value_);
  return cases == nullptr ? std::vector<std::string>{} : cases->notes;
}

Result<MapResult> map_simplify(const MapSimplifyRequest& request, Observer& /*observer*/) {
  const auto& [map, sources, unread] = request.map.value;
  if (const std::vector<MapText> texts = {{"map", request.map.text, unread}};
      asks_for_all_sizes(texts, request.where)) {
    if (request.legacy) return not_with_names("legacy", kNoOlderForm);
    const auto sized = sized_maps(texts, request.where);
    if (!sized) return fail(sized.error());
    return in_cases("simplify", symbolic::simplify(sized->maps[0], sized->where));
  }
  MapAnswer answer{.map = UndefinedMap{}, .options = {.legacy = request.legacy}};
  if (const auto* const known = std::get_if<IndexMap>(&map)) {
    answer.map = simplify(*known, request.points);
    answer.options.sources = sources;
  }
  return MapResult("simplify", std::move(answer));
}

Result<MapResult> map_compose(const MapComposeRequest& request, Observer& /*observer*/) {
  const auto answered = [&](MapOrUndefined map, std::vector<LegacyRuntime> sources = {}) {
    return MapResult("compose",
                     MapAnswer{.map = std::move(map),
                               .options = {.legacy = request.legacy, .sources = std::move(sources)}});
  };
  const MapInput& first = request.first.value;
  const MapInput& second = request.second.value;
  if (const std::vector<MapText> texts = {{"first", request.first.text, first.unread},
                                          {"second", request.second.text, second.unread}};
      asks_for_all_sizes(texts, request.where)) {
    if (request.legacy) return not_with_names("legacy", kNoOlderForm);
    if (request.raw) return not_with_names("raw", "one with names for sizes is simplified");
    const auto sized = sized_maps(texts, request.where);
    if (!sized) return fail(sized.error());
    auto both = symbolic::compose(sized->maps[0], sized->maps[1], sized->where);
    return in_cases("compose", std::move(both), "first");
  }
  const auto* const inner = std::get_if<IndexMap>(&first.map);
  const auto* const outer = std::get_if<IndexMap>(&second.map);
  if (inner != nullptr && outer != nullptr && (is_bare_empty(*inner) || is_bare_empty(*outer)))
    return answered(is_bare_empty(*inner) ? *inner : *outer);
  const Result<MapOrUndefined> both = compose(first.map, second.map);
  if (!both) return refuse("second", both.error());
  const auto* const known = std::get_if<IndexMap>(&*both);
  if (known == nullptr) return answered(UndefinedMap{});
  std::vector<LegacyRuntime> sources;
  if (inner != nullptr && outer != nullptr) sources = sources_behind(*inner, second.sources);
  sources.insert(sources.end(), first.sources.begin(), first.sources.end());
  return answered(request.raw ? *known : simplify(*known, request.points), std::move(sources));
}

Result<MapResult> map_inverse(const MapInverseRequest& request, Observer& /*observer*/) {
  if (const auto* const layout = std::get_if<LinearLayout>(&request.map.value)) {
    // By elimination over F2.
    Result<IndexMap> back = inverse(*layout);
    if (!back) return refuse("map", std::move(back.error()));
    return MapResult("inverse", MapAnswer{.map = *std::move(back), .options = {.legacy = request.legacy}});
  }
  const MapInput& input = std::get<MapInput>(request.map.value);
  if (const std::vector<MapText> texts = {{"map", request.map.text, input.unread}};
      asks_for_all_sizes(texts, request.where)) {
    if (request.legacy) return not_with_names("legacy", kNoOlderForm);
    if (request.relational) return not_with_names("relational", "range variables have intervals of numbers");
    const auto sized = sized_maps(texts, request.where);
    if (!sized) return fail(sized.error());
    return in_cases("inverse", symbolic::inverse(sized->maps[0], sized->where));
  }
  const IndexMap& map = std::get<IndexMap>(input.map);
  Result<IndexMap> back = request.relational ? relational_inverse(map) : inverse(map);
  if (!back) return refuse("map", std::move(back.error()));
  MapTextOptions options{.legacy = request.legacy, .sources = sources_behind(*back, input.sources)};
  return MapResult("inverse", MapAnswer{.map = *std::move(back), .options = std::move(options)});
}

Result<MapResult> map_eval(const MapEvalRequest& request, Observer& /*observer*/) {
  const Result<std::vector<Index>> point = parse_point(request.point);
  if (!point) return unreadable("point", point.error());
  Result<IndexMap> value = fix_variables(request.map.value, *point);
  if (!value) return refuse("point", std::move(value.error()));
  return MapResult("eval", MapAnswer{.map = *std::move(value)});
}

Result<MapResult> map_equal(const MapEqualRequest& request, Observer& /*observer*/) {
  const auto& [a, b, where_text] = request;
  if (!a.value.unread && !b.value.unread && where_text.empty()) {
    MapComparison out{.equality = equal_texts(a.value.map, b.value.map)};
    if (out.equality.difference) out.differing = count_differences(a.value.map, b.value.map);
    return MapResult("equal", std::move(out));
  }
  const auto sized = sized_maps({{"a", a.text, a.value.unread}, {"b", b.text, b.value.unread}}, where_text);
  if (!sized) return fail(sized.error());
  const auto& [x, y] = std::tie(sized->maps[0], sized->maps[1]);
  auto answer = symbolic::equal(x, y, sized->where);
  if (!answer) return bad_input_at("a", std::move(answer.error()));
  symbolic::AssumptionList all = x.where();
  all.append(y.where());
  all.append(sized->where);
  return MapResult("equal", SizedMapAnswer{*std::move(answer), all.text()});
}

Result<MapResult> map_within(const MapWithinRequest& request, Observer& /*observer*/) {
  const auto where = assumptions_of(request.where, {});
  if (!where) return fail(where.error());
  auto map = symbolic::SymbolicMap::parse(request.map, where->names());
  if (!map) return unreadable("map", map.error());
  map->come_from("map");
  const auto box = symbolic::parse_box(request.box, *map, where->names());
  if (!box) return unreadable("box", box.error());
  auto answer = symbolic::within(*map, *box, *where);
  if (!answer) return bad_input_at("map", std::move(answer.error()));
  symbolic::AssumptionList all = map->where();
  all.append(*where);
  return MapResult("within", SizedMapAnswer{*std::move(answer), all.text()});
}

Result<MapResult> map_image(const MapImageRequest& request, Observer& /*observer*/) {
  if (const std::vector<MapText> texts = {{"map", request.map.text, request.map.value.unread}};
      asks_for_all_sizes(texts, request.where)) {
    const auto sized = sized_maps(texts, request.where);
    if (!sized) return fail(sized.error());
    return in_cases("image", symbolic::image(sized->maps[0], sized->where));
  }
  return MapResult("image", image(request.map.value.map));
}

Result<MapResult> map_count(const MapCountRequest& request, Observer& /*observer*/) {
  if (const std::vector<MapText> texts = {{"map", request.map.text, request.map.value.unread}};
      asks_for_all_sizes(texts, request.where)) {
    const auto sized = sized_maps(texts, request.where);
    if (!sized) return fail(sized.error());
    return in_cases("count", symbolic::count(sized->maps[0], request.of == CountOf::points, sized->where));
  }
  const IndexMap& map = request.map.value.map;
  return MapResult("count",
                   MapCount{.count = request.of == CountOf::points ? count_points(map) : count_image(map),
                            .of = request.of});
}

}  // namespace tessera::verbs
