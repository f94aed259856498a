// SPDX-License-Identifier: Apache-2.0
#include "report/memory_answer.h"

#include <fmt/format.h>

#include <utility>

#include "base/plural.h"
#include "base/printable.h"
#include "hlo/module/leaves.h"
#include "report/amounts.h"
#include "report/byte_table.h"
#include "report/hlo_json.h"
#include "report/indexing_text.h"
#include "tessera/notation/tensor_type.h"

namespace tessera::detail {
namespace {

std::string live_array_name(const LiveArray& array) {
  std::string out = place_name(*array.instruction);
  if (array.instruction->type.is_tuple()) out += fmt::format("#{}", array.leaf);
  return out;
}

std::string live_array_text(const LiveArray& array) {
  std::string out = fmt::format("{} = {}", live_array_name(array),
                                printable(to_string(leaf_type(array.instruction->type, array.leaf))));
  if (array.parameter) return out + "; an argument";
  if (array.last != nullptr) return out + fmt::format("; until {}", place_name(*array.last));
  const Computation* const within = array.instruction->parent;
  return out + (within == nullptr || within->is_entry
                    ? std::string("; a result")
                    : fmt::format("; a result of a run of {}", printable(within->name)));
}

}  // namespace

std::string to_text(const ProgramMemory& memory) {
  ByteTable table({"bytes", "padding"}, "array");
  for (const LiveArray& array : memory.held)
    table.add({fmt::format("{}", array.bytes), fmt::format("{}", array.bytes - array.elements)},
              live_array_text(array));
  std::string out = table.text();
  out += fmt::format("peak: {}{}", bounds_text(memory.peak, "byte"),
                     memory.at != nullptr ? " at " + place_name(*memory.at) : "");
  if (!memory.peak.reason.empty()) out += fmt::format(", a bound: {}", memory.peak.reason);
  out += fmt::format("; arguments {}, results in memory of their own {}, constants {}", memory.parameters,
                     memory.results, memory.constants);
  if (memory.elsewhere > 0)
    out += fmt::format("; {} in other memory spaces not counted", plural(memory.elsewhere, "byte"));
  if (memory.unknown > 0) out += fmt::format("; {} of unknown size", plural(memory.unknown, "array"));
  return out + "\n";
}

std::string to_json(const InstructionPlace& place, const ProgramMemory& memory) {
  std::string out;
  const auto line = [&](const char* key, Json value) {
    Json json = hlo_object(place);
    json[key] = std::move(value);
    out += dump(json) + "\n";
  };
  for (const LiveArray& array : memory.held)
    line("live_array", {{"array", live_array_name(array)},
                        {"type", to_string(leaf_type(array.instruction->type, array.leaf))},
                        {"bytes", array.bytes},
                        {"element_bytes", array.elements},
                        {"argument", array.parameter},
                        {"until", array.last != nullptr ? Json(place_name(*array.last)) : Json()}});
  for (const LiveStep& step : memory.steps)
    line("live_step", {{"instruction", step.instruction->name},
                       {"bytes", json_of(step.bytes)},
                       {"order", memory.scheduled ? "schedule" : "text"}});
  line("memory_totals", {{"scheduled", memory.scheduled},
                         {"peak_bytes", json_of(memory.peak)},
                         {"at", memory.at != nullptr ? place_name(*memory.at) : ""},
                         {"argument_bytes", memory.parameters},
                         {"result_bytes", memory.results},
                         {"constant_bytes", memory.constants},
                         {"other_space_bytes", memory.elsewhere},
                         {"unknown", memory.unknown},
                         {"reason", memory.peak.reason}});
  return out;
}

}  // namespace tessera::detail
