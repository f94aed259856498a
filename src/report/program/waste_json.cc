// SPDX-License-Identifier: Apache-2.0
#include "report/program/waste_json.h"

#include <utility>
#include <vector>

#include "report/amounts.h"
#include "report/hlo_json.h"
#include "report/indexing_text.h"
#include "report/json.h"
#include "report/program/wastes.h"

namespace tessera::detail {

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
    Json line = hlo_object(place);
    line["waste"] = std::move(json);
    out += dump(line) + "\n";
  }
  Json totals = {{"wastes", all.size()}};
  if (module.time) totals["seconds"] = detail::json_of(module.time->total);
  Json line = hlo_object(place);
  line["waste_totals"] = std::move(totals);
  return out + dump(line) + "\n";
}

}  // namespace tessera::detail
