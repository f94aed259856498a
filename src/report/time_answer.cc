// SPDX-License-Identifier: Apache-2.0
#include "report/time_answer.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/plural.h"
#include "hlo/syntax/printer.h"
#include "report/amounts.h"
#include "report/byte_table.h"
#include "report/hlo_json.h"
#include "report/indexing_text.h"

namespace tessera::detail {
namespace {

double finite_of(const Seconds& time) { return std::isfinite(time.upper) ? time.upper : time.lower; }

// The share in the sum of the steps, of upper bounds where there are any.
std::string percent_text(const Seconds& part, double whole) {
  return whole > 0 ? fmt::format("{:.1f}%", 100 * finite_of(part) / whole) : "?";
}

}  // namespace

std::string to_text(const ProgramTime& time, const Chip& chip, const ShowStep& shown) {
  // Not that of the total, which has no upper bound if one step has none.
  double whole = 0;
  for (const StepTime& step : time.steps) whole += finite_of(step.total);
  ByteTable table({"time", "share", "waits for", "bytes", "operations", "runs"}, "step");
  for (const StepTime& step : time.steps) {
    if (!shown(*step.instruction) || (step.total.lower == 0 && step.total.upper == 0)) continue;
    table.add({seconds_text(step.total), percent_text(step.total, whole), std::string(to_string(step.limit)),
               bounds_text(step.bytes), bounds_text(step.flops), bounds_text(step.runs)},
              header_text(*step.instruction));
  }
  std::string out = table.text();
  out += fmt::format("estimate for {}: {} for {}, one after another, at peak rates ({})", chip.title,
                     seconds_text(time.total), plural(static_cast<Index>(time.steps.size()), "step"),
                     chip.source);
  for (const auto& [part, name] : {std::pair(&time.memory, "memory"), std::pair(&time.compute, "compute"),
                                   std::pair(&time.link, "links")}) {
    if (finite_of(*part) > 0)
      out += fmt::format("; steps that wait for {} take {} ({})", name, seconds_text(*part),
                         percent_text(*part, whole));
  }
  if (time.hidden.upper > 0 && std::isfinite(time.hidden.upper))
    out += fmt::format("; of the links, at most {} can pass while the steps between starts and ends run",
                       seconds_text(time.hidden.upper));
  if (finite_of(time.undecided) > 0)
    out += fmt::format("; for {} it is not decided what they wait for", seconds_text(time.undecided));
  if (finite_of(time.moving) > 0)
    out += fmt::format("; steps that only move data take {} ({})", seconds_text(time.moving),
                       percent_text(time.moving, whole));
  if (finite_of(time.rereading) > 0)
    out += fmt::format("; reading again within loops takes {} more ({}) if no cache keeps the bytes",
                       seconds_text(time.rereading), percent_text(time.rereading, whole));
  if (!time.unrated.empty()) out += fmt::format("; not timed, for want of a rate: {}", time.unrated);
  if (!chip.bandwidth) out += "; memory is not timed: give bandwidth=";
  return out + "\n";
}

std::string to_json(const InstructionPlace& place, const ProgramTime& time, const Chip& chip,
                    const ShowStep& shown) {
  std::string out;
  for (const StepTime& step : time.steps) {
    const Instruction& op = *step.instruction;
    if (!shown(op)) continue;
    Json json = hlo_object(place, op);
    json["time"] = {{"runs", json_of(step.runs)},
                    {"seconds", json_of(step.total)},
                    {"memory_seconds", json_of(step.memory)},
                    {"compute_seconds", json_of(step.compute)},
                    {"link_seconds", json_of(step.link)},
                    {"waits_for", to_string(step.limit)},
                    {"bytes", json_of(step.bytes)},
                    {"operations", json_of(step.flops)}};
    out += dump(json) + "\n";
  }
  Json json = hlo_object(place);
  json["time_totals"] = {{"chip", chip.title},
                         {"source", chip.source},
                         {"steps", time.steps.size()},
                         {"seconds", json_of(time.total)},
                         {"memory_seconds", json_of(time.memory)},
                         {"compute_seconds", json_of(time.compute)},
                         {"link_seconds", json_of(time.link)},
                         {"undecided_seconds", json_of(time.undecided)},
                         {"hidden_seconds", json_of(time.hidden)},
                         {"moving_seconds", json_of(time.moving)},
                         {"rereading_seconds", json_of(time.rereading)},
                         {"not_timed", time.unrated}};
  return out + dump(json) + "\n";
}

}  // namespace tessera::detail
