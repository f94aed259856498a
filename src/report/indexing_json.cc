// SPDX-License-Identifier: Apache-2.0
#include "report/indexing_json.h"

#include "hlo/analysis/bitcast.h"
#include "hlo/analysis/free_layout.h"
#include "hlo/syntax/printer.h"
#include "report/hlo_json.h"
#include "report/indexing_maps.h"
#include "report/indexing_text.h"
#include "report/json.h"
#include "tessera/hlo/walk.h"

namespace tessera {
namespace {

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

}  // namespace

std::string to_json(const Indexing& indexing) { return detail::dump(detail::json_of(indexing)); }

std::string to_json(const InstructionPlace& place, const InstructionIndexing& maps,
                    IndexingDirection direction, detail::ModuleCode* code) {
  const Instruction& instruction = *maps.instruction;
  Json json = detail::hlo_object(place, instruction);
  json["direction"] = direction == IndexingDirection::output_to_input ? "out" : "in";
  json["exactness"] = to_string(maps.exactness);
  json["operands"] = Json::array();
  json["indexing"] = Json::array();
  if (code != nullptr && !code->scope(instruction).empty())
    json["metadata"]["op_name"] = code->scope(instruction);
  if (code != nullptr && code->line(instruction).known()) {
    const detail::CodeLine& line = code->line(instruction);
    json["metadata"]["path"] = line.file;
    json["metadata"]["line"] = line.line;
    if (!line.function.empty()) json["metadata"]["function"] = line.function;
  }
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
    if (operand.inner != nullptr)
      entry["tuple_path"] = detail::tuple_path(operand.tuple_index, operand.inner);
    json["operands"].push_back(std::move(entry));
  }
  add_lost();
  for (const PairIndexing& pair : maps.pairs) {
    json["indexing"].push_back(
        {{"output", pair.output}, {"operand", pair.operand}, {"maps", detail::json_of(pair.maps)}});
  }
  if (const auto bitcast = bitcast_answer(instruction)) {
    json["bitcast"] = json_of(*bitcast);
    if (bitcast->verdict != Verdict::yes) {
      const FreeLayouts free = free_layouts(instruction);
      json["bitcast"]["free_result"] = free.result ? Json(to_string(*free.result)) : Json();
      json["bitcast"]["free_operand"] = free.operand ? Json(to_string(*free.operand)) : Json();
    }
  }
  return detail::dump(json);
}

}  // namespace tessera
