// SPDX-License-Identifier: Apache-2.0
#include "report/map_answer.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "report/exit_status.h"
#include "report/json.h"
#include "tessera/text/index_map.h"

namespace tessera {
namespace {

std::string value_text(const std::optional<std::vector<Index>>& value) {
  return value ? fmt::format("({})", fmt::join(*value, ", ")) : "undefined";
}

// `1 point differs`, `between 1 and 400 points differ`; at least one does.
std::string differing_text(const Count& count) {
  if (count.exact())
    return count.lower == 1 ? "1 point differs" : fmt::format("{} points differ", count.lower);
  if (count.lower < 2 && !count.upper) return "the points that differ are not counted";
  return fmt::format("{} points differ", to_string(Count{std::max<Index>(count.lower, 1), count.upper, {}}));
}

Json map_answer(std::string_view action, int status) {
  return {{"schema", "tessera.map/1"}, {"action", action}, {"status", status}};
}

}  // namespace

std::string to_text(const IndexMap& map, const MapTextOptions& options) {
  if (!options.legacy) return to_string(map);
  return to_legacy_string(map, options.sources.size() == map.runtime_count()
                                   ? std::span(options.sources)
                                   : std::span<const LegacyRuntime>());
}

std::string to_text(const Equality& equality, const std::optional<Count>& differing) {
  if (equality.verdict == Verdict::yes) return "yes";
  if (equality.verdict == Verdict::undecided) return "undecided: " + equality.reason;
  if (!equality.difference) return "no: " + equality.reason;
  const Difference& difference = *equality.difference;
  std::string text = fmt::format("no at ({}): {} and {}", fmt::join(difference.point, ", "),
                                 value_text(difference.first), value_text(difference.second));
  if (!equality.smallest) text += "; a smaller point may differ too";
  if (differing) text += "; " + differing_text(*differing);
  return equality.reason.empty() ? text : fmt::format("{} ({})", text, equality.reason);
}

std::string to_text(const Image& image) {
  return image.exact ? to_string(image) : fmt::format("{} (superset: {})", to_string(image), image.reason);
}

std::string to_json(std::string_view action, const IndexMap& map) {
  Json json = map_answer(action, 0);
  json["map"] = to_string(map);
  return detail::dump(json);
}

std::string to_json(std::string_view action, UndefinedMap undefined) {
  Json json = map_answer(action, 0);
  json["map"] = to_string(undefined);
  return detail::dump(json);
}

std::string to_json(std::string_view action, const Equality& equality,
                    const std::optional<Count>& differing) {
  Json json = map_answer(action, status_of(equality.verdict));
  if (equality.verdict != Verdict::undecided) json["equal"] = equality.verdict == Verdict::yes;
  if (equality.difference) {
    json["point"] = equality.difference->point;
    json["first"] = equality.difference->first ? Json(*equality.difference->first) : Json();
    json["second"] = equality.difference->second ? Json(*equality.difference->second) : Json();
    json["smallest"] = equality.smallest;
  }
  if (differing) json["differing"] = detail::json_of(*differing);
  if (!equality.reason.empty()) json["reason"] = equality.reason;
  return detail::dump(json);
}

std::string to_json(std::string_view action, const Image& image) {
  Json json = map_answer(action, image.exact ? 0 : 3);
  json["image"] = to_string(image);
  json["exact"] = image.exact;
  json["reason"] = image.reason;
  return detail::dump(json);
}

std::string to_json(std::string_view action, const Count& count, std::string_view of) {
  Json json = map_answer(action, count.exact() ? 0 : 3);
  json["of"] = of;
  json["count"] = count.exact() ? Json(count.lower) : Json();
  json["lower"] = count.lower;
  json["upper"] = count.upper ? Json(*count.upper) : Json();
  json["exact"] = count.exact();
  json["reason"] = count.reason;
  return detail::dump(json);
}

}  // namespace tessera
