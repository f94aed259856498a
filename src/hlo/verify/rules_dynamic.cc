// SPDX-License-Identifier: Apache-2.0
// Slices at runtime starts: dynamic-slice, dynamic-update-slice.
#include <fmt/core.h>

#include "hlo/verify/rules.h"
#include "hlo/verify/types.h"

namespace tessera::detail {
namespace {

// Checks the starts: one scalar integer per dimension or, in older programs, one vector.
Problem check_starts(const Rule& rule, std::size_t first, std::size_t rank) {
  const std::size_t count = rule.operand_count() - first;
  const bool vector = count == 1 && rule.operand(first).is_array() && rule.operand(first).rank() == 1;
  if (vector ? rule.dims(first)[0] != static_cast<Index>(rank) : count != rank) {
    return rule.wrong(Code::operand_count,
                      fmt::format("{} of an array with {} needs as many start indices, not {}",
                                  rule.instruction().opcode_text, plural(rank, "dimension"),
                                  vector ? rule.dims(first)[0] : static_cast<Index>(count)),
                      rule.instruction().opcode_span,
                      fmt::format("one scalar start index for each dimension follows the {}",
                                  first == 1 ? "array" : "update"));
  }
  for (std::size_t i = first; i < rule.operand_count(); ++i) {
    if (!vector) TESSERA_RULE(rule.operand_is_scalar(i, fmt::format("start index {}", i - first)));
    if (!is_integer(rule.dtype(i))) {
      return rule.wrong_operand(Code::shape_mismatch, i,
                                fmt::format("start index {} must be an integer, but it is {}", i - first,
                                            short_text(rule.operand(i))));
    }
  }
  return std::nullopt;
}

}  // namespace

Problem check_dynamic(const Rule& rule) {
  const bool update = rule.instruction().opcode == Opcode::dynamic_update_slice;
  TESSERA_RULE(rule.operand_count_is(update ? 2 : 1, static_cast<std::size_t>(-1)));
  TESSERA_RULE(rule.operands_are_arrays());
  const auto from = rule.dims(0);
  std::vector<Index> sizes;
  if (update) {
    sizes.assign(rule.dims(1).begin(), rule.dims(1).end());
    if (!same_element_type(rule.dtype(0), rule.dtype(1))) {
      return rule.wrong_operand(
          Code::shape_mismatch, 1,
          fmt::format("the update has elements of {}, but the operand has elements of {}",
                      to_string(rule.dtype(1)), to_string(rule.dtype(0))));
    }
  } else {
    TESSERA_READ(written, ints_of(rule.instruction(), "dynamic_slice_sizes"));
    sizes = written;
  }
  const auto wrong_size = [&](Code code, std::string message) {
    return update ? rule.wrong_operand(code, 1, std::move(message))
                  : rule.wrong_attribute(code, "dynamic_slice_sizes", std::move(message));
  };
  if (sizes.size() != from.size()) {
    return wrong_size(Code::rank_mismatch, fmt::format("{} of an array with {} needs as many sizes, not {}",
                                                       rule.instruction().opcode_text,
                                                       plural(from.size(), "dimension"), sizes.size()));
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] >= 0 && sizes[i] <= from[i]) continue;
    std::string message =
        fmt::format("slice size {} of dimension {} is not within its extent {}", sizes[i], i, from[i]);
    if (update) return rule.wrong_operand(Code::bad_attribute, 1, std::move(message));
    const Attribute& written = *rule.instruction().attribute("dynamic_slice_sizes");
    return rule.wrong(Code::bad_attribute, std::move(message), integer_span(written, i));
  }
  TESSERA_RULE(check_starts(rule, update ? 2 : 1, from.size()));
  if (update) sizes.assign(from.begin(), from.end());
  return rule.gives(rule.dtype(0), std::move(sizes));
}

}  // namespace tessera::detail
