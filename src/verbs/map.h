// SPDX-License-Identifier: Apache-2.0
/// \file
/// The verbs `map ...`: questions about index maps.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "report/map_answer.h"
#include "size/sized_cases.h"
#include "tessera/notation/linear_layout.h"
#include "tessera/size/size.h"
#include "tessera/text/index_map.h"
#include "verbs/answer.h"
#include "verbs/observer.h"
#include "verbs/request.h"
#include "verbs/sizes.h"

namespace tessera::verbs {

/// A map in the current or the older form, or UNDEFINED.
struct MapInput {
  MapOrUndefined map = IndexMap();
  std::vector<LegacyRuntime> sources = {};  ///< runtime variables of the older form
  std::optional<Diagnostic> unread = {};    ///< the error of a text that may have names for sizes
};
template <>
struct Reading<MapInput> {
  static MapInput none() { return {}; }
  static Result<MapInput> read(const std::string& text);
};
template <>
struct Reading<IndexMap> {
  static IndexMap none() { return {}; }
  /// Of the current or the older form.
  static Result<IndexMap> read(const std::string& text);
};
/// A map, or the error of a text that may have names for sizes.
struct MapOrNames {
  IndexMap map = {};
  std::optional<Diagnostic> unread = {};
};
template <>
struct Reading<MapOrNames> {
  static MapOrNames none() { return {}; }
  static Result<MapOrNames> read(const std::string& text);
};
/// A map, or a linear layout over F2, which is inverted by elimination.
using MapOrLinear = std::variant<MapInput, LinearLayout>;
template <>
struct Reading<MapOrLinear> {
  static MapOrLinear none() { return {}; }
  static Result<MapOrLinear> read(const std::string& text);
};

template <>
struct Words<Points> {
  static constexpr std::array<std::string_view, 2> words = {"replace", "preserve"};
};
enum class CountOf : std::uint8_t { values, points };
template <>
struct Words<CountOf> {
  static constexpr std::array<std::string_view, 2> words = {"values", "points"};
};

struct MapSimplifyRequest {
  Given<MapInput> map = {};
  Points points = Points::replace;
  bool legacy = false;
  std::string where = {};
};
struct MapComposeRequest {
  Given<MapInput> first = {};
  Given<MapInput> second = {};
  Points points = Points::replace;
  bool legacy = false;
  bool raw = false;  ///< do not simplify
  std::string where = {};
};
struct MapInverseRequest {
  Given<MapOrLinear> map = {};
  bool legacy = false;
  bool relational = false;
  std::string where = {};
};
struct MapEvalRequest {
  Given<IndexMap> map = {};
  std::string point = {};
};
struct MapEqualRequest {
  Given<MapOrNames> a = {};
  Given<MapOrNames> b = {};
  std::string where = {};
};
struct MapWithinRequest {
  std::string map = {};
  std::string box = {};
  std::string where = {};
};
struct MapImageRequest {
  Given<MapOrNames> map = {};
  std::string where = {};
};
struct MapCountRequest {
  Given<MapOrNames> map = {};
  CountOf of = CountOf::values;
  std::string where = {};
};

inline constexpr std::string_view kMapHelp =
    "an index map, current or older form; - reads one per line from stdin";
inline constexpr Field kMapField = {.name = "map", .help = kMapHelp, .argument = true};
inline constexpr Field kPointsField = {
    .name = "points",
    .help =
        "a result with a single value becomes that number (replace, the default) or stays an expression of "
        "the dimensions (preserve)"};
inline constexpr Field kLegacyField = {
    .name = "legacy", .help = "write the older form, on several lines", .text_only = true};

template <>
struct Description<MapSimplifyRequest> {
  static constexpr std::string_view name = "map simplify";
  static constexpr std::string_view help = "the same map in its shortest form";
  static constexpr std::string_view footer = R"(Examples:
  tessera map simplify '(d0) -> (d0 mod 8), domain: d0 in [0, 7]'
  printf '(d0) -> (d0 / 8), domain: d0 in [0, 7]\n' | tessera map simplify - --points preserve
  tessera map simplify '(d0, d1) -> ((d0 * N + d1) / N), domain: d0 in [0, M - 1], d1 in [0, N - 1]' --where 'M, N')";
  template <class Visit>
  static void fields(Visit&& visit) {
    visit(kMapField, &MapSimplifyRequest::map);
    visit(kPointsField, &MapSimplifyRequest::points);
    visit(kLegacyField, &MapSimplifyRequest::legacy);
    visit(kWhereField, &MapSimplifyRequest::where);
  }
};

template <>
struct Description<MapComposeRequest> {
  static constexpr std::string_view name = "map compose";
  static constexpr std::string_view help = "SECOND after FIRST, simplified";
  static constexpr std::string_view footer =
      R"(FIRST must have as many results as SECOND has dimensions. Range and runtime variables are those of SECOND,
then those of FIRST.

Examples:
  tessera map compose '(d0) -> (d0 + 5), domain: d0 in [0, 9]' '(d0) -> (d0 * 2), domain: d0 in [0, 9]')";
  template <class Visit>
  static void fields(Visit&& visit) {
    visit(Field{.name = "first", .help = kMapHelp, .argument = true}, &MapComposeRequest::first);
    visit(Field{.name = "second", .help = kMapHelp, .argument = true}, &MapComposeRequest::second);
    visit(kPointsField, &MapComposeRequest::points);
    visit(kLegacyField, &MapComposeRequest::legacy);
    visit(Field{.name = "raw", .help = "do not simplify"}, &MapComposeRequest::raw);
    visit(kWhereField, &MapComposeRequest::where);
  }
};

template <>
struct Description<MapInverseRequest> {
  static constexpr std::string_view name = "map inverse";
  static constexpr std::string_view help = "from the results back to the dimensions";
  static constexpr std::string_view footer =
      R"(A map that sends two points to one result has no inverse: the witness shows two such points; exit status 1.

Examples:
  tessera map inverse '(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]'
  tessera map inverse --relational '(d0) -> (d0 / 4), domain: d0 in [0, 31]'
  tessera map inverse 'd0:1,3 d1:4,8'
  tessera map inverse '(d0, d1) -> (d0 * N + d1), domain: d0 in [0, M - 1], d1 in [0, N - 1]' --where 'M, N')";
  template <class Visit>
  static void fields(Visit&& visit) {
    visit(kMapField, &MapInverseRequest::map);
    visit(kLegacyField, &MapInverseRequest::legacy);
    visit(Field{.name = "relational",
                .help = "from a result to all points that map to it, one or many; what the result does not "
                        "determine becomes a range variable"},
          &MapInverseRequest::relational);
    visit(kWhereField, &MapInverseRequest::where);
  }
};

template <>
struct Description<MapEvalRequest> {
  static constexpr std::string_view name = "map eval";
  static constexpr std::string_view help = "the results at a point";
  static constexpr std::string_view footer =
      R"(The answer is a map without dimensions; range and runtime variables without a value stay.
A point outside the domain has no answer; exit status 1.

Examples:
  tessera map eval '(d0, d1) -> (d0 + d1, d1 mod 4), domain: d0 in [0, 9], d1 in [0, 9]' 3,5
  tessera map eval '(d0)[s0] -> (d0, s0), domain: d0 in [0, 9], s0 in [0, 3]' 5)";
  template <class Visit>
  static void fields(Visit&& visit) {
    visit(kMapField, &MapEvalRequest::map);
    visit(
        Field{.name = "point",
              .help = "values between commas: one per dimension, or one per variable; - reads one point per "
                      "line from stdin",
              .argument = true},
        &MapEvalRequest::point);
  }
};

template <>
struct Description<MapEqualRequest> {
  static constexpr std::string_view name = "map equal";
  static constexpr std::string_view help = "are two maps the same function on the same domain?";
  static constexpr std::string_view footer =
      R"(The answer is 'yes' (exit status 0), 'no at POINT: VALUE and VALUE' (1; POINT has one number per variable; outside its
domain a map is 'undefined') with the number of points that differ, or 'undecided: REASON' if a limit was reached (3).
Names that 'where' or --where declares are sizes: the answer is about all of them, and may be 'yes iff CONDITION'.

Examples:
  tessera map equal '(d0) -> (d0 / 2 * 2), domain: d0 in [0, 9]' '(d0) -> (d0 - d0 mod 2), domain: d0 in [0, 9]'
  tessera map equal '(d0) -> (d0), domain: d0 in [0, 9]' '(d0) -> (d0 mod 8), domain: d0 in [0, 9]'
  tessera map equal '(d0) -> (d0 mod N), domain: d0 in [0, M - 1]' '(d0) -> (d0), domain: d0 in [0, M - 1]' --where 'M <= N')";
  template <class Visit>
  static void fields(Visit&& visit) {
    visit(Field{.name = "a", .help = kMapHelp, .argument = true}, &MapEqualRequest::a);
    visit(Field{.name = "b", .help = kMapHelp, .argument = true}, &MapEqualRequest::b);
    visit(kWhereField, &MapEqualRequest::where);
  }
};

template <>
struct Description<MapWithinRequest> {
  static constexpr std::string_view name = "map within";
  static constexpr std::string_view help = "is every result in its interval, for all sizes?";
  static constexpr std::string_view footer =
      R"(The box has an interval for each result. Names that 'where' or --where declares are sizes. The answer is 'yes' (exit
status 0), 'yes iff CONDITION' or 'no: SIZES, at INDEX: RESULT' (1), or 'undecided: REASON' (3).

Examples:
  tessera map within '(d0, d1) -> (d0 * N + d1), domain: d0 in [0, M - 1], d1 in [0, N - 1]' --box '[0, M * N - 1]' --where 'M, N'
  tessera map within '(d0) -> (d0 * 128), domain: d0 in [0, N - 1]' --box '[0, 2147483647]' --where 'N in [1, 1000]')";
  template <class Visit>
  static void fields(Visit&& visit) {
    visit(Field{.name = "map", .help = "an index map; - reads one per line from stdin", .argument = true},
          &MapWithinRequest::map);
    visit(Field{.name = "box",
                .value = "INTERVALS",
                .help = "an interval for each result",
                .required = true,
                .example = "'[0, M * N - 1], [0, 31]'"},
          &MapWithinRequest::box);
    visit(kWhereField, &MapWithinRequest::where);
  }
};

template <>
struct Description<MapImageRequest> {
  static constexpr std::string_view name = "map image";
  static constexpr std::string_view help = "the set of results, as constraints on r0, r1, ...";
  static constexpr std::string_view footer =
      R"(' or ' joins several parts. '(superset: REASON)' follows if the true set of results may be smaller.

Examples:
  tessera map image '(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 3]')";
  template <class Visit>
  static void fields(Visit&& visit) {
    visit(kMapField, &MapImageRequest::map);
    visit(kWhereField, &MapImageRequest::where);
  }
};

template <>
struct Description<MapCountRequest> {
  static constexpr std::string_view name = "map count";
  static constexpr std::string_view help = "the number of different results";
  static constexpr std::string_view footer =
      R"(The answer is an integer, or a bound: 'between 1 and 400', 'at least 1'.

Examples:
  tessera map count '(d0) -> (d0 / 4), domain: d0 in [0, 31]'
  tessera map count --of points '(d0) -> (d0 / 4), domain: d0 in [0, 31]'
  tessera map count '(d0) -> (d0 / 8), domain: d0 in [0, N - 1]' --where N)";
  template <class Visit>
  static void fields(Visit&& visit) {
    visit(kMapField, &MapCountRequest::map);
    visit(
        Field{.name = "of", .help = "values: different results (the default); points: points of the domain"},
        &MapCountRequest::of);
    visit(kWhereField, &MapCountRequest::where);
  }
};

/// A map and how it is printed.
struct MapAnswer {
  MapOrUndefined map;
  MapTextOptions options = {};
};
/// Whether two maps are equal, and at how many points they differ.
struct MapComparison {
  Equality equality;
  std::optional<Count> differing = {};
};
/// An answer about all sizes.
struct SizedMapAnswer {
  SizeAnswer answer;
  std::string where;
};
struct MapCount {
  Count count;
  CountOf of = CountOf::values;
};

/// The answer of any of them. Its status is 1 for maps that differ, 3 if a limit was reached.
class MapResult : public VerbAnswer {
 public:
  using Value =
      std::variant<MapAnswer, MapComparison, SizedMapAnswer, symbolic::SizedAnswers, Image, MapCount>;
  MapResult(std::string_view action, Value value) : action_(action), value_(std::move(value)) {}

  const Value& value() const { return value_; }

  int status() const override;
  Result<std::string> to_text(const Terminal& terminal) const override;
  Result<std::string> to_json() const override;
  std::vector<std::string> hints() const override;

 private:
  std::string_view action_;  // `simplify`
  Value value_;
};

/// Errors: those of tessera/map/map_algebra.h.
Result<MapResult> map_simplify(const MapSimplifyRequest& request, Observer& observer);
Result<MapResult> map_compose(const MapComposeRequest& request, Observer& observer);
Result<MapResult> map_inverse(const MapInverseRequest& request, Observer& observer);
Result<MapResult> map_eval(const MapEvalRequest& request, Observer& observer);
Result<MapResult> map_equal(const MapEqualRequest& request, Observer& observer);
/// Errors: those of symbolic::SymbolicMap and its box.
Result<MapResult> map_within(const MapWithinRequest& request, Observer& observer);
Result<MapResult> map_image(const MapImageRequest& request, Observer& observer);
Result<MapResult> map_count(const MapCountRequest& request, Observer& observer);

}  // namespace tessera::verbs
