// SPDX-License-Identifier: Apache-2.0
#include "report/hlo_json.h"

#include "hlo/syntax/printer.h"

namespace tessera::detail {

Json hlo_object(const InstructionPlace& place) {
  return {{"schema", "tessera.hlo/1"}, {"file", place.file}, {"module", place.module}};
}

Json hlo_object(const InstructionPlace& place, const Instruction& op) {
  Json json = hlo_object(place);
  json["computation"] = op.parent != nullptr ? op.parent->name : "";
  json["instruction"] = op.name;
  json["type"] = type_text(op);
  json["opcode"] = op.opcode_text;
  return json;
}

}  // namespace tessera::detail
