// SPDX-License-Identifier: Apache-2.0
#include "report/indexing_json.h"

#include <algorithm>
#include <tuple>

#include "hlo/analysis/bitcast.h"
#include "hlo/syntax/printer.h"
#include "report/indexing_maps.h"
#include "report/indexing_text.h"
#include "report/json.h"
#include "tessera/hlo/walk.h"

namespace tessera {
namespace {

// name#1#0: [1, 0]
Json tuple_path(std::int32_t index, const TupleStep* inner) {
  Json path = Json::array({index});
  for (const TupleStep* step = inner; step != nullptr; step = step->next) path.push_back(step->index);
  return path;
}

// The instruction that holds the value, with the calls on the path to it. If no instruction holds the value,
// a description of the value.
Json json_of(const RuntimeValue& value) {
  Json json;
  json["source"] = value.source == nullptr ? source_text(value) : value.source->name;
  json["map"] = to_string(value.map);
  if (value.source == nullptr) return json;
  if (value.tuple_index >= 0) json["tuple_path"] = tuple_path(value.tuple_index, value.inner);
  for (const CallSite& call : value.calls) {
    Json step;
    step["caller"] = call.caller->name;
    if (call.caller->opcode == Opcode::conditional) step["branch"] = call.first_operand - 1;
    json["calls"].push_back(std::move(step));
  }
  if (value.clamp.is_finite()) json["clamp"] = {value.clamp.lower, value.clamp.upper};
  return json;
}

Json json_of(const Indexing& indexing) {
  const bool unknown = indexing.exactness == Exactness::unknown;
  Json json;
  if (indexing.leaf >= 0) json["element"] = indexing.leaf;
  json["map"] = unknown ? "UNDEFINED" : to_string(indexing.map);
  json["runtime"] = Json::array();
  const std::size_t first = indexing.map.dim_count() + indexing.map.range_count();
  for (std::size_t i = 0; i < indexing.runtime.size() && !unknown; ++i) {
    const RuntimeValue& value = indexing.runtime[i];
    Json entry;
    entry["var"] = indexing.map.domain().name(first + i);
    entry.update(json_of(value));
    if (value.hops > 0) entry["hops"] = value.hops;
    json["runtime"].push_back(std::move(entry));
  }
  json["replica"] = Json::array();
  for (std::size_t i = 0; i < indexing.replica.size(); ++i) {
    const ReplicaHop& hop = indexing.replica[i];
    json["replica"].push_back(to_string(printed_hop(indexing, i)));
    json["replica_groups"].push_back(hop.groups.exist() ? hop.groups.text() : "");
  }
  json["exact"] = indexing.exactness == Exactness::exact;
  json["reason"] = indexing.reason;
  return json;
}

// Operands with unknown names are listed with their positions.
std::vector<LostOperand> lost_operands(const Instruction& instruction) {
  if (instruction.sound || instruction.parent == nullptr) return {};
  const auto& all = instruction.parent->lost_operands;
  const auto found = all.find(&instruction);
  return found == all.end() ? std::vector<LostOperand>() : found->second;
}

// A bit offset as bytes, with a fraction if an element narrower than a byte begins inside one.
Json byte_of(Index bit) { return bit % 8 == 0 ? Json(bit / 8) : Json(static_cast<double>(bit) / 8); }

Json json_of(const BitcastAnswer& answer) {
  Json json;
  json["answer"] = answer.verdict == Verdict::yes ? "yes" : answer.verdict == Verdict::no ? "no" : "unknown";
  if (answer.verdict != Verdict::undecided) {
    json["bytes"] = answer.bytes;
    json["moved_bytes"] = answer.moved_bytes ? Json(*answer.moved_bytes) : Json();
  }
  if (!answer.element.empty()) {
    json["element"] = answer.element;
    json["from_byte"] = byte_of(answer.from_bit);
    json["to_byte"] = byte_of(answer.to_bit);
  }
  json["reason"] = answer.reason;
  return json;
}

std::string_view word(Exactness exactness) {
  switch (exactness) {
    case Exactness::exact:
      return "exact";
    case Exactness::superset:
      return "superset";
    case Exactness::unknown:
      return "unknown";
  }
  return "";
}

}  // namespace

Json detail::json_of(const IndexingSet& maps) {
  std::vector<Json> sorted;
  for (const Indexing& indexing : maps) sorted.push_back(tessera::json_of(indexing));
  std::ranges::stable_sort(sorted, {}, [](const Json& json) {
    return std::tuple(json.value("element", -1), json["map"].get_ref<const std::string&>(),
                      json["replica"].dump(), json.value("replica_groups", Json()).dump(),
                      json["runtime"].dump(), json["reason"].get_ref<const std::string&>());
  });
  return sorted;
}

std::string to_json(const Indexing& indexing) { return detail::dump(json_of(indexing)); }

std::string to_json(const InstructionPlace& place, const InstructionIndexing& maps,
                    IndexingDirection direction) {
  const Instruction& instruction = *maps.instruction;
  Json json = {{"schema", "tessera.hlo/1"},
               {"file", place.file},
               {"module", place.module},
               {"computation", instruction.parent != nullptr ? instruction.parent->name : ""},
               {"instruction", instruction.name},
               {"type", type_text(instruction)},
               {"opcode", instruction.opcode_text},
               {"direction", direction == IndexingDirection::output_to_input ? "out" : "in"},
               {"exactness", word(maps.exactness)},
               {"operands", Json::array()},
               {"indexing", Json::array()}};
  const std::vector<LostOperand> lost = lost_operands(instruction);
  auto next_lost = lost.begin();
  const auto add_lost = [&] {
    for (; next_lost != lost.end() && next_lost->place == json["operands"].size(); ++next_lost)
      json["operands"].push_back({{"name", next_lost->name}, {"type", ""}});
  };
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    add_lost();
    const Operand& operand = instruction.operands[i];
    Json entry = {{"name", operand.instruction != nullptr ? operand.instruction->name : ""},
                  {"type", to_string(instruction.operand_type(i))}};
    if (operand.tuple_index >= 0) entry["tuple_index"] = operand.tuple_index;
    if (operand.inner != nullptr) entry["tuple_path"] = tuple_path(operand.tuple_index, operand.inner);
    json["operands"].push_back(std::move(entry));
  }
  add_lost();
  for (const PairIndexing& pair : maps.pairs) {
    json["indexing"].push_back(
        {{"output", pair.output}, {"operand", pair.operand}, {"maps", detail::json_of(pair.maps)}});
  }
  if (const auto bitcast = bitcast_answer(instruction)) json["bitcast"] = json_of(*bitcast);
  return detail::dump(json);
}

}  // namespace tessera
