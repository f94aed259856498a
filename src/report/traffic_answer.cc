// SPDX-License-Identifier: Apache-2.0
#include "report/traffic_answer.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/plural.h"
#include "base/printable.h"
#include "hlo/syntax/printer.h"
#include "report/amounts.h"
#include "report/byte_table.h"
#include "report/hlo_json.h"
#include "report/indexing_text.h"
#include "report/json.h"

namespace tessera {
namespace {

using detail::bounds_text;
using detail::json_of;

// `1.50`, `4.00..5.00`, `?`.
std::string ratio_text(const std::optional<TrafficRatio>& ratio) {
  if (!ratio) return "?";
  const std::string lower = fmt::format("{:.2f}", ratio->lower);
  const std::string upper = fmt::format("{:.2f}", ratio->upper);
  return lower == upper ? lower : lower + ".." + upper;
}

std::string place_text(const Instruction& op, std::size_t operand, std::size_t leaf) {
  return op.operand_type(operand).is_tuple() ? fmt::format("{}{{{}}}", operand, leaf)
                                             : fmt::format("{}", operand);
}

std::string operand_text(const StepTraffic& step, const OperandReads& x) {
  const Instruction& op = *step.instruction;
  const auto name_of = [&](std::size_t i) {
    return op.operands[i].instruction != nullptr ? op.operands[i].instruction->name : std::string_view();
  };
  std::string places = place_text(op, x.operand, x.leaf);
  std::string names(name_of(x.operand));
  std::string_view last = names;
  for (const OperandLeaf& other : x.also) {
    places += ", " + place_text(op, other.operand, other.leaf);
    if (name_of(other.operand) != last) names += fmt::format(", {}", name_of(other.operand));
    last = name_of(other.operand);
  }
  std::string out =
      fmt::format("  operand{} {} {}: {} of {} elements used, {} read", x.also.empty() ? "" : "s", places,
                  names, bounds_text(x.reads.used), x.reads.elements, bounds_text(x.reads.reads));
  if (!(x.reads.reachable == x.reads.used))
    out += fmt::format(", {} in any execution", bounds_text(x.reads.reachable));
  if (!x.reads.reason.empty()) out += "; " + detail::printable(x.reads.reason);
  return out;
}

Json ratio_json(const std::optional<TrafficRatio>& ratio) {
  return ratio && ratio->exact() ? Json(std::round(ratio->lower * 1e4) / 1e4) : Json();
}

Json json_of(const StepTraffic& step) {
  Json json = {{"runs", json_of(step.runs)},
               {"read_bytes", json_of(step.read)},
               {"inlined_bytes", json_of(step.inlined)},
               {"repeated_bytes", json_of(step.repeated)},
               {"used_bytes", json_of(step.used)},
               {"operand_bytes", step.operand_bytes},
               {"written_bytes", step.written.upper ? Json(*step.written.upper) : Json()},
               {"least_written_bytes", step.written.lower},
               {"minimum_bytes", json_of(step.minimum())},
               {"ratio", ratio_json(step.ratio())},
               {"in_place", step.in_place},
               {"may_vanish", step.may_vanish},
               {"exactness", to_string(step.exactness)},
               {"reason", step.reason},
               {"operands", Json::array()}};
  for (const OperandReads& x : step.operands) {
    const Operand& operand = step.instruction->operands[x.operand];
    Json entry = {{"operand", x.operand},
                  {"name", operand.instruction != nullptr ? operand.instruction->name : ""}};
    if (step.instruction->operand_type(x.operand).is_tuple()) entry["element"] = x.leaf;
    for (const OperandLeaf& other : x.also) entry["also"].push_back(other.operand);
    entry["elements"] = x.reads.elements;
    entry["used"] = json_of(x.reads.used);
    entry["reads"] = json_of(x.reads.reads);
    entry["reachable"] = json_of(x.reads.reachable);
    entry["reason"] = x.reads.reason;
    json["operands"].push_back(std::move(entry));
  }
  return json;
}

}  // namespace

std::string to_text(const ProgramTraffic& traffic, const ShowStep& shown, bool operands) {
  detail::ByteTable table({"read", "used", "written", "ratio", "runs"}, "step");
  for (const StepTraffic& step : traffic.steps) {
    if (!shown(*step.instruction)) continue;
    std::string what = header_text(*step.instruction);
    if (step.in_place) what += "; in place";
    if (step.may_vanish) what += "; perhaps a bitcast";
    if (!step.reason.empty()) what += "; " + detail::printable(step.reason);
    for (std::size_t i = 0; operands && i < step.operands.size(); ++i)
      what += "\n" + operand_text(step, step.operands[i]);
    if (operands && !(step.inlined == step.read) && step.exactness != Exactness::unknown)
      what += fmt::format(
          "\n  inlined: {} bytes read if each result element computed all that it needs by itself",
          bounds_text(step.inlined));
    table.add({bounds_text(step.read), bounds_text(step.used), bounds_text(step.written),
               ratio_text(step.ratio()), bounds_text(step.runs)},
              std::move(what));
  }
  return table.text() +
         fmt::format("{}, {} of them unknown: {} bytes move, {} must; parameters {}, results {}\n",
                     detail::plural(static_cast<Index>(traffic.steps.size()), "step"), traffic.unknown,
                     bounds_text(traffic.moved), bounds_text(traffic.minimum),
                     detail::plural(traffic.parameters, "byte"), detail::plural(traffic.results, "byte"));
}

std::string to_json(const InstructionPlace& place, const ProgramTraffic& traffic, const ShowStep& shown) {
  std::string out;
  for (const StepTraffic& step : traffic.steps) {
    const Instruction& op = *step.instruction;
    if (!shown(op)) continue;
    Json json = detail::hlo_object(place, op);
    json["traffic"] = json_of(step);
    out += detail::dump(json) + "\n";
  }
  Json json = detail::hlo_object(place);
  json["totals"] = {{"steps", traffic.steps.size()},         {"unknown", traffic.unknown},
                    {"moved_bytes", json_of(traffic.moved)}, {"minimum_bytes", json_of(traffic.minimum)},
                    {"parameter_bytes", traffic.parameters}, {"result_bytes", traffic.results}};
  return out + detail::dump(json) + "\n";
}

}  // namespace tessera
