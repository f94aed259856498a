// SPDX-License-Identifier: Apache-2.0
// Operations between replicas.
#include <fmt/core.h>

#include "hlo/verify/device_rule.h"
#include "hlo/verify/reducer_rule.h"
#include "hlo/verify/rules.h"
#include "hlo/verify/types.h"

namespace tessera::detail {
namespace {

// Reads the one dimension of all-gather, reduce-scatter or all-to-all.
Problem read_dimension(const Rule& rule, Index& dim) {
  TESSERA_READ(list, ints_of(rule.instruction(), "dimensions"));
  TESSERA_RULE(rule.one_dimension(list));
  dim = list[0];
  for (std::size_t i = 0; i < rule.operand_count(); ++i) {
    TESSERA_RULE(rule.distinct_dims(rule.instruction().attribute("dimensions"), list, rule.dims(i).size()));
  }
  return std::nullopt;
}

// Each output has the dimensions of its operand, except that dimension `dim` grows or shrinks by an integer
// factor: the number of replicas in a group, if that is known.
Problem check_scaled(const Rule& rule, Index dim, bool grows) {
  TESSERA_READ(groups, replica_groups_of(rule.instruction()));
  TESSERA_RULE(check_groups(rule, groups, true));
  TESSERA_RULE(rule.must_be_written());
  const auto types = outputs(rule.instruction().type);
  if (types.size() != rule.operand_count()) {
    return rule.wrong_type(
        Code::shape_mismatch,
        fmt::format("{} of {} gives one array for each, but the type has {}", rule.instruction().opcode_text,
                    plural(rule.operand_count(), "operand"), types.size()));
  }
  const auto axis = static_cast<std::size_t>(dim);
  for (std::size_t k = 0; k < types.size(); ++k) {
    const auto from = rule.dims(k);
    bool matches = types[k].is_array() && types[k].rank() == from.size();
    for (std::size_t i = 0; matches && i < from.size(); ++i)
      matches = i == axis || types[k].dims()[i] == from[i];
    if (!matches) {
      return rule.wrong_type(Code::shape_mismatch,
                             fmt::format("{} of {} changes only dimension {}, but the written type is {}",
                                         rule.instruction().opcode_text, short_text(rule.operand(k)), dim,
                                         short_text(types[k])));
    }
    const Index small = grows ? from[axis] : types[k].dims()[axis];
    const Index large = grows ? types[k].dims()[axis] : from[axis];
    const auto size = members_of_group(rule, groups);
    Index wanted = 0;
    const bool whole = small == 0 ? large == 0 : large % small == 0;
    if (whole && (!size || mul_overflows(small, *size, wanted) || wanted == large)) continue;
    const std::string change =
        fmt::format("dimension {} changes from {} to {}", dim, from[axis], types[k].dims()[axis]);
    return rule.wrong_type(Code::shape_mismatch,
                           size    ? fmt::format("{}, but a group of {} makes it {} times as {}", change,
                                                 members_text(rule, *size), *size, grows ? "large" : "small")
                           : grows ? change + ", which is not a multiple"
                                   : change + ", which is not a divisor");
  }
  return std::nullopt;
}

Problem gives_operands(const Rule& rule) {
  if (rule.operand_count() == 1) return rule.gives(rule.operand(0));
  std::vector<HloType> types;
  for (std::size_t i = 0; i < rule.operand_count(); ++i) types.push_back(rule.operand(i));
  return rule.gives(HloType::tuple(std::move(types)));
}

Problem check_all_to_all(const Rule& rule) {
  TESSERA_READ(groups, replica_groups_of(rule.instruction()));
  TESSERA_RULE(check_groups(rule, groups, true));
  const auto size = members_of_group(rule, groups);
  if (rule.instruction().attribute("dimensions") == nullptr) {
    if (size && static_cast<Index>(rule.operand_count()) != *size) {
      return rule.wrong(
          Code::operand_count,
          fmt::format("all-to-all without 'dimensions' needs one operand for each of {}, not {}",
                      members_text(rule, *size), rule.operand_count()),
          rule.instruction().opcode_span,
          "pass one operand for each group member, or a single one with 'dimensions'");
    }
    return gives_operands(rule);
  }
  TESSERA_RULE(rule.operand_count_is(1));
  Index dim = 0;
  TESSERA_RULE(read_dimension(rule, dim));
  const Index extent = rule.dims(0)[static_cast<std::size_t>(dim)];
  if (size && extent % *size != 0) {
    return rule.wrong_attribute(Code::shape_mismatch, "dimensions",
                                fmt::format("extent {} of dimension {} cannot be split evenly among {}",
                                            extent, dim, members_text(rule, *size)));
  }
  return gives_operands(rule);
}

}  // namespace

Problem check_collective(const Rule& rule) {
  const Opcode opcode = rule.instruction().opcode;
  TESSERA_RULE(rule.operand_count_is(1, static_cast<std::size_t>(-1)));
  if (opcode == Opcode::collective_permute) {
    TESSERA_RULE(check_pairs(rule));
    // The operands are the source buffer, the destination buffer, and the starts of the slices in both.
    if (rule.instruction().attribute("slice_sizes") != nullptr) {
      TESSERA_RULE(rule.operand_count_is(4));
      return rule.must_be_written();
    }
    return gives_operands(rule);
  }
  TESSERA_RULE(rule.operands_are_arrays());
  Index dim = 0;
  switch (opcode) {
    case Opcode::all_gather:
      TESSERA_RULE(read_dimension(rule, dim));
      return check_scaled(rule, dim, true);
    case Opcode::reduce_scatter:
      TESSERA_RULE(read_dimension(rule, dim));
      TESSERA_RULE(check_shared_reducer(rule, "to_apply"));
      return check_scaled(rule, dim, false);
    case Opcode::all_to_all:
      return check_all_to_all(rule);
    default:
      break;
  }
  TESSERA_READ(groups, replica_groups_of(rule.instruction()));
  TESSERA_RULE(check_groups(rule, groups, opcode == Opcode::ragged_all_to_all));
  switch (opcode) {
    case Opcode::all_reduce:
    case Opcode::all_reduce_start:
      TESSERA_RULE(check_shared_reducer(rule, "to_apply"));
      return gives_operands(rule);
    case Opcode::collective_broadcast:
      return gives_operands(rule);
    default:
      return rule.must_be_written();
  }
}

}  // namespace tessera::detail
