// SPDX-License-Identifier: Apache-2.0
#include "report/program/waste_json.h"

#include <utility>
#include <vector>

#include "report/amounts.h"
#include "report/hlo_json.h"
#include "report/indexing_text.h"
#include "report/json.h"
#include "report/program/cost_json.h"
#include "report/program/findings.h"
#include "report/program/wastes.h"

namespace tessera::detail {
namespace {

// An object with one key next to the place.
std::string keyed_line(const InstructionPlace& place, const char* key, Json value) {
  Json line = hlo_object(place);
  line[key] = std::move(value);
  return dump(line) + "\n";
}

}  // namespace

std::string findings_json(const ProgramReport& report, const ReportedModule& module) {
  const std::vector<Finding> all = findings(report, module);
  const InstructionPlace place = module.place();
  std::string out;
  for (const Finding& finding : all)
    out += keyed_line(
        place, "finding",
        {{"kind", finding.kind},
         {"text", finding.text},
         {"exact", finding.exact},
         {"instruction", finding.instruction != nullptr ? Json(place_name(*finding.instruction)) : Json()},
         {"bytes", finding.bytes ? Json(*finding.bytes) : Json()},
         {"command", finding.command}});
  return out + keyed_line(place, "finding_totals", {{"findings", all.size()}});
}

std::string comparison_json(const InstructionPlace& place, const ProgramComparison& comparison) {
  const auto name_of = [](const StepTraffic* step) {
    return step != nullptr ? Json(place_name(*step->instruction)) : Json();
  };
  std::string out;
  for (const ChangedStep& change : comparison.changes) {
    Json row = {{"old", name_of(change.before)},
                {"instruction", name_of(change.after)},
                {"old_bytes", change.bytes_before},
                {"bytes", change.bytes_after},
                {"exact", change.exact()}};
    if (comparison.timed) {
      row["old_seconds"] = rounded_seconds(change.seconds_before);
      row["seconds"] = rounded_seconds(change.seconds_after);
    }
    out += keyed_line(place, "change", std::move(row));
  }
  Json totals = {{"matched", comparison.matched},
                 {"worse", comparison.worse},
                 {"better", comparison.better},
                 {"added", comparison.added},
                 {"removed", comparison.removed},
                 {"old_moved_bytes", detail::json_of(comparison.moved_before)},
                 {"moved_bytes", detail::json_of(comparison.moved_after)},
                 {"old_minimum_bytes", detail::json_of(comparison.minimum_before)},
                 {"minimum_bytes", detail::json_of(comparison.minimum_after)}};
  if (comparison.timed) {
    totals["old_seconds"] = rounded_seconds(comparison.seconds_before);
    totals["seconds"] = rounded_seconds(comparison.seconds_after);
  }
  return out + keyed_line(place, "change_totals", std::move(totals));
}

std::string wastes_json(const ProgramReport& report, const ReportedModule& module) {
  const std::vector<Waste> all = wastes(report, module);
  const InstructionPlace place = module.place();
  std::string out;
  for (const Waste& waste : all) {
    const CodePlace code = module.nearby->of(*waste.instruction);
    Json json = {{"kind", waste.kind},
                 {"instruction", place_name(*waste.instruction)},
                 {"text", waste.text},
                 {"bytes", detail::json_of(waste.bytes)},
                 {"on_top", waste.on_top},
                 {"line", code.line.text()},
                 {"function", code.line.function},
                 {"scope", code.scope},
                 {"maps", Json::array()}};
    if (module.time) json["seconds"] = detail::json_of(waste.seconds);
    for (const std::uint32_t map : waste.maps) json["maps"].push_back(report.map_texts[map]);
    if (report.text)
      if (const auto text = report.text(code.line)) json["code"] = *text;
    out += keyed_line(place, "waste", std::move(json));
  }
  Json totals = {{"wastes", all.size()}};
  if (module.time) totals["seconds"] = detail::json_of(module.time->total);
  return out + keyed_line(place, "waste_totals", std::move(totals));
}

}  // namespace tessera::detail
