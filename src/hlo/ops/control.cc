// SPDX-License-Identifier: Apache-2.0
/// \file
/// Instructions that hand values on unchanged, and those that nothing can be said of.
#include <fmt/core.h>

#include <algorithm>

#include "hlo/ops/rule.h"
#include "tessera/hlo/attributes.h"

namespace tessera::detail {
namespace {

// Arrays in front of tuple element `element`.
std::size_t first_leaf(const HloType& tuple, std::size_t element) {
  std::size_t first = 0;
  for (std::size_t i = 0; i < element; ++i) first += count_leaves(tuple.elements()[i]);
  return first;
}

// The identity between the output and array `leaf` of the operand, both ways the same.
IndexingSet passed(const OpQuery& q, std::size_t leaf) {
  const HloType& operand = q.op.operand_type(q.operand);
  if (leaf >= count_leaves(operand)) return bad_shape(q);
  if (!std::ranges::equal(leaf_of(operand, leaf).dims(), q.out())) return bad_shape(q);
  OperandIndexing same = identity_indexing(q.out());
  if (operand.is_tuple()) same.element = static_cast<std::int32_t>(leaf);
  return just(std::move(same));
}

IndexingSet tuple(const OpQuery& q) {
  const std::size_t first = first_leaf(q.op.type, q.operand);
  const std::size_t count = count_leaves(q.op.operand_type(q.operand));
  if (q.output < first || q.output >= first + count) return {};
  return passed(q, q.output - first);
}

IndexingSet get_tuple_element(const OpQuery& q) {
  const auto index = int_of(q.op, "index");
  if (!index) return unknown_set(index.error());
  const HloType& operand = q.op.operand_type(0);
  if (*index < 0 || *index >= static_cast<Index>(operand.elements().size())) return bad_shape(q);
  return passed(q, first_leaf(operand, static_cast<std::size_t>(*index)) + q.output);
}

// The first operand as it is.
IndexingSet forward(const OpQuery& q) { return q.operand == 0 ? passed(q, q.output) : IndexingSet(); }

// (copy, original, context)
IndexingSet copy_start(const OpQuery& q) { return q.output < 2 ? passed(q, 0) : IndexingSet(); }

IndexingSet copy_done(const OpQuery& q) { return passed(q, 0); }

// The start made (operands, results, contexts...); the results come out.
IndexingSet done(const OpQuery& q) {
  const HloType& started = q.op.operand_type(0);
  if (!started.is_tuple() || started.elements().size() < 2) return passed(q, q.output);
  return passed(q, first_leaf(started, 1) + q.output);
}

// Only the shape matters.
IndexingSet no_elements(const OpQuery&) { return {}; }

IndexingSet set_size_to_input(const OpQuery& q) {
  return q.operand == 0 ? forward(q) : just(scalar_indexing(q.out()));
}
IndexingSet set_size_to_output(const OpQuery& q) {
  return q.operand == 0 ? forward(q) : just(whole_indexing(q.in(), q.out()));
}

// Targets that are markers for the partitioner.
constexpr std::string_view kIdentityTargets[] = {"Sharding", "xla.sdy.FuncResultSharding"};

IndexingSet custom_call(const OpQuery& q) {
  const Attribute* attribute = q.op.attribute("custom_call_target");
  if (attribute == nullptr) return unknown_set("opaque: a custom call without a target");
  const auto target = read_string(*attribute);
  if (!target) return unknown_set(target.error());
  const bool marker = std::ranges::find(kIdentityTargets, *target) != std::end(kIdentityTargets);
  if (marker && q.op.operands.size() == 1 && q.op.operand_type(0).is_array() && q.op.type.is_array() &&
      std::ranges::equal(q.in(), q.out())) {
    return just(identity_indexing(q.out()));
  }
  return unknown_set(
      fmt::format("opaque: the access pattern of custom call target {} is not known", *target));
}

IndexingSet boundary(const OpQuery&) { return unknown_set("data crosses the module boundary"); }

}  // namespace

constinit const OpRule kTupleRule{tuple, tuple, true};
constinit const OpRule kGetTupleElementRule{get_tuple_element, get_tuple_element, true};
constinit const OpRule kForwardRule{forward, forward, true};
constinit const OpRule kCopyStartRule{copy_start, copy_start};
constinit const OpRule kCopyDoneRule{copy_done, copy_done, true};
constinit const OpRule kDoneRule{done, done, true};
constinit const OpRule kNoElementsRule{no_elements, no_elements, true};
constinit const OpRule kSetDimensionSizeRule{set_size_to_input, set_size_to_output};
constinit const OpRule kCustomCallRule{custom_call, custom_call, true};
constinit const OpRule kBoundaryRule{boundary, boundary, true};

}  // namespace tessera::detail
