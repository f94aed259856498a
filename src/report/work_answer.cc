// SPDX-License-Identifier: Apache-2.0
#include "report/work_answer.h"

#include <fmt/format.h>

#include <utility>

#include "base/plural.h"
#include "base/printable.h"
#include "hlo/syntax/printer.h"
#include "report/amounts.h"
#include "report/byte_table.h"
#include "report/hlo_json.h"
#include "report/indexing_text.h"

namespace tessera::detail {

std::string to_text(const ProgramWork& work, const ShowStep& shown) {
  ByteTable table({"flops", "integer", "transcendental", "runs"}, "step");
  for (const StepWork& step : work.steps) {
    if (!shown(*step.instruction)) continue;
    std::string what = header_text(*step.instruction);
    if (!step.work.exact()) what += "; " + printable(step.work.reason());
    table.add({bounds_text(step.work.flops()), bounds_text(step.work.integer_operations()),
               bounds_text(step.work.transcendentals()), bounds_text(step.runs)},
              std::move(what));
  }
  std::string out = table.text();
  out += fmt::format("{} with operations: {}, {}, {}", plural(static_cast<Index>(work.steps.size()), "step"),
                     bounds_text(work.total.flops(), "flop"),
                     bounds_text(work.total.integer_operations(), "integer operation"),
                     bounds_text(work.total.transcendentals(), "transcendental"));
  const std::string kinds = work_text(work.total);
  if (!kinds.empty()) out += "; " + kinds;
  return out + "\n";
}

std::string to_json(const InstructionPlace& place, const ProgramWork& work, const ShowStep& shown) {
  std::string out;
  for (const StepWork& step : work.steps) {
    const Instruction& op = *step.instruction;
    if (!shown(op)) continue;
    Json json = hlo_object(place, op);
    json["work"] = json_of(step.work);
    json["work"]["runs"] = json_of(step.runs);
    json["work"]["reason"] = step.work.reason();
    out += dump(json) + "\n";
  }
  Json json = hlo_object(place);
  json["work_totals"] = json_of(work.total);
  json["work_totals"]["steps"] = work.steps.size();
  json["work_totals"]["reason"] = work.total.reason();
  return out + dump(json) + "\n";
}

}  // namespace tessera::detail
