// SPDX-License-Identifier: Apache-2.0
/// \file
/// Instructions that forward values unchanged, and opaque ones.
#include "hlo/ops/control.h"

#include <fmt/core.h>

#include <algorithm>

#include "hlo/ops/forwarding.h"
#include "hlo/ops/rule.h"
#include "hlo/syntax/attributes.h"

namespace tessera::detail {
namespace {

// A forwarded array: the identity in both directions.
IndexingSet forwarded_identity(const OpQuery& q) {
  Leaves leaves;
  const auto from = forwarded(q.op, static_cast<std::uint32_t>(q.output), leaves);
  if (!from) return q.op.opcode == Opcode::get_tuple_element ? bad_shape(q) : IndexingSet();
  if (from->operand != q.operand) return {};
  const HloType& operand = q.op.operand_type(q.operand);
  if (from->leaf >= operand.leaf_count()) return bad_shape(q);
  if (!std::ranges::equal(leaf_type(operand, from->leaf).dims(), q.out())) return bad_shape(q);
  Indexing same = identity_indexing(q.out());
  if (operand.is_tuple()) same.leaf = static_cast<std::int32_t>(from->leaf);
  return just(std::move(same));
}

// The instruction reads the shape of its operand, but no elements.
IndexingSet no_elements(const OpQuery&) { return {}; }

// set-dimension-size: the operand with another runtime size.
IndexingSet set_size_to_input(const OpQuery& q) {
  if (q.operand != 0) return just(scalar_indexing(q.out()));
  return std::ranges::equal(q.in(), q.out()) ? just(identity_indexing(q.out())) : bad_shape(q);
}
IndexingSet set_size_to_output(const OpQuery& q) {
  return q.operand == 0 ? set_size_to_input(q) : just(whole_indexing(q.in(), q.out()));
}

IndexingSet custom_call(const OpQuery& q) {
  const Attribute* attribute = q.op.attribute("custom_call_target");
  if (attribute == nullptr)
    return unknown_set("the custom call has no target, so its access pattern is unknown");
  const auto target = read_string(*attribute);
  if (!target) return unknown_set(target.error());
  if (is_marker(q.op) && q.operand_type().is_array() && q.output_type().is_array() &&
      std::ranges::equal(q.in(), q.out())) {
    return just(identity_indexing(q.out()));
  }
  return unknown_set(fmt::format("the access pattern of custom call target {} is unknown", *target));
}

IndexingSet boundary(const OpQuery&) { return unknown_set("data crosses the module boundary"); }

}  // namespace

bool is_marker(const Instruction& custom_call) {
  constexpr std::string_view kMarkers[] = {"Sharding", "xla.sdy.FuncResultSharding"};
  const Attribute* const attribute = custom_call.attribute("custom_call_target");
  if (attribute == nullptr || custom_call.operands.size() != 1) return false;
  const auto target = read_string(*attribute);
  return target && std::ranges::find(kMarkers, *target) != std::end(kMarkers);
}

constinit const OpRule kForwardRule{forwarded_identity, forwarded_identity, true};
constinit const OpRule kNoElementsRule{no_elements, no_elements, true};
constinit const OpRule kSetDimensionSizeRule{set_size_to_input, set_size_to_output};
constinit const OpRule kCustomCallRule{custom_call, custom_call, true};
constinit const OpRule kBoundaryRule{boundary, boundary, true};

}  // namespace tessera::detail
