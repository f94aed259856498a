// SPDX-License-Identifier: Apache-2.0
/// \file
/// custom-call: its access pattern is unknown, except that of the partitioner's markers, which forward their
/// operand.
#include <fmt/core.h>

#include <algorithm>

#include "hlo/ops/rule.h"
#include "hlo/ops/values.h"
#include "hlo/syntax/spelling.h"

namespace tessera::detail {
namespace {

Problem read_custom_call(const OpReader& reader, CustomCallOp& op) {
  constexpr std::string_view kMarkers[] = {"Sharding", "xla.sdy.FuncResultSharding"};
  const Attribute* const attribute = reader.instruction().attribute("custom_call_target");
  if (attribute == nullptr) return missing_attribute(reader.instruction(), "custom_call_target");
  TESSERA_READ(target, read_string(*attribute));
  op.target = std::move(target);
  op.marker = reader.operand_count() == 1 && std::ranges::find(kMarkers, op.target) != std::end(kMarkers);
  return reader.must_be_written();
}

IndexingSet custom_call(const OpQuery& q, const CustomCallOp& op) {
  if (op.marker && q.operand_type().is_array() && q.output_type().is_array() &&
      std::ranges::equal(q.in(), q.out())) {
    return just(identity_indexing(q.out()));
  }
  return unknown_set(fmt::format("the access pattern of custom call target {} is unknown", op.target));
}

bool is_marker(const Instruction& op) {
  const auto value = value_of<CustomCallOp>(op);
  return value != nullptr && value->marker;
}

}  // namespace

constinit const OpRule kCustomCallRule =
    family_rule<CustomCallOp, read_custom_call, custom_call, custom_call>(
        {.kind = RuleKind::opaque, .tuple_operands = true, .leafwise = is_marker});

}  // namespace tessera::detail
