// SPDX-License-Identifier: Apache-2.0
// Arrays that the program determines: all their elements.
#include <algorithm>
#include <utility>

#include "base/index_walk.h"
#include "hlo/limits.h"
#include "hlo/ops/element_value.h"
#include "hlo/ops/integer_operation.h"
#include "hlo/ops/rule.h"
#include "hlo/ops/sizes.h"
#include "hlo/syntax/literal.h"
#include "tessera/map/map_algebra.h"

namespace tessera::detail {
namespace {

using Elements = std::vector<Index>;

Index number(std::span<const Index> index, std::span<const Index> extents) {
  Index out = 0;
  for (std::size_t i = 0; i < extents.size(); ++i) out = out * extents[i] + index[i];
  return out;
}

/// Calls `visit(index, number)` for every index of an array.
template <class Visit>
void for_each_index(std::span<const Index> extents, const Visit& visit) {
  if (element_count(extents) == 0) return;
  std::vector<Index> index(extents.size());
  std::size_t i = 0;
  do visit(std::span<const Index>(index), i++);
  while (next_index(index, extents));
}

/// Copies the elements that operand `j` holds, as the maps of the instruction say. Returns how many there
/// are; empty if the maps do not say.
std::optional<std::size_t> copy_operand(const Instruction& op, std::size_t j, const Elements& from,
                                        Elements& to) {
  const std::span<const Index> in = op.operand_type(j).dims();
  std::size_t copied = 0;
  Leaves leaves;
  OpFacts facts(op, leaves);
  const OpQuery query{.facts = facts, .operand = j, .known_starts = false};
  for (const Indexing& x : rule_of(op.opcode).output_to_input(query)) {
    if (x.exactness != Exactness::exact || x.map.domain().symbol_count() > 0) return std::nullopt;
    if (x.map.known_empty()) continue;
    bool good = true;
    for_each_index(op.type.dims(), [&](std::span<const Index> index, std::size_t i) {
      if (!good || !x.map.domain().contains(index)) return;
      const auto at = x.map.evaluate(index);
      good = at.has_value();
      if (!good) return;
      to[i] = from[static_cast<std::size_t>(number(*at, in))];
      ++copied;
    });
    if (!good) return std::nullopt;
  }
  return copied;
}

/// The box of a dynamic-slice, or the array with the box of a dynamic-update-slice. `starts`: scalars, or one
/// vector.
Elements with_box(const Instruction& op, std::span<const std::shared_ptr<const Elements>> from) {
  const bool update = op.opcode == Opcode::dynamic_update_slice;
  const std::span<const Index> whole = op.operand_type(0).dims();
  const std::span<const Index> box = update ? op.operand_type(1).dims() : op.type.dims();
  const auto starts = from.subspan(update ? 2 : 1);
  std::vector<Index> start;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const Elements& one = *starts[starts.size() == whole.size() ? i : 0];
    start.push_back(std::clamp<Index>(one[one.size() == whole.size() ? i : 0], 0, whole[i] - box[i]));
  }
  Elements out = update ? *from[0] : Elements();
  for_each_index(box, [&](std::span<const Index> index, std::size_t i) {
    std::vector<Index> at(index.begin(), index.end());
    for (std::size_t d = 0; d < at.size(); ++d) at[d] += start[d];
    const auto place = static_cast<std::size_t>(number(at, whole));
    if (update) {
      out[place] = (*from[1])[i];
    } else {
      out.push_back((*from[0])[place]);
    }
  });
  return out;
}

}  // namespace

std::shared_ptr<const ElementTrace::Elements> ElementTrace::elements(TracedElement array) {
  while (steps_++ < kHloLimits.ops.value_steps && array.value.instruction->sound && forward(array)) {
  }
  if (steps_ >= kHloLimits.ops.value_steps || !array.value.instruction->sound) return nullptr;
  for (const auto& [known, all] : arrays_) {
    if (known.value.instruction == array.value.instruction &&
        known.value.tuple_index == array.value.tuple_index && known.value.inner == array.value.inner &&
        known.calls == array.calls) {
      return all;
    }
  }
  std::shared_ptr<const Elements> out;
  if (const auto inside = into_call(array)) {
    out = elements(*inside);
  } else if (auto given = given_elements(array)) {
    out = std::make_shared<const Elements>(*std::move(given));
  } else if (auto all = evaluated(array)) {
    out = std::make_shared<const Elements>(*std::move(all));
  }
  arrays_.emplace_back(std::move(array), out);
  return out;
}

std::optional<ElementTrace::Elements> ElementTrace::given_elements(const TracedElement& array) const {
  const HloType& type = array.value.type();
  if (!options_.given || !type.is_array()) return std::nullopt;
  const auto count = element_count(type.dims());
  if (!count || *count > kHloLimits.ops.table_elements) return std::nullopt;
  Elements out;
  bool all = true;
  for_each_index(type.dims(), [&](std::span<const Index> index, std::size_t) {
    TracedElement one{array.value, {}, array.calls};
    for (const Index i : index) one.at.push_back(Expr::constant(i));
    const auto value = all ? options_.given(one) : std::nullopt;
    all = value.has_value();
    if (all) out.push_back(*value);
  });
  return all ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<ElementTrace::Elements> ElementTrace::evaluated(const TracedElement& array) {
  const Instruction& op = *array.value.instruction;
  const auto is_small = [](const HloType& type) {
    if (!type.is_array() || !integers_of(type.array().dtype)) return false;
    const auto count = element_count(type.dims());
    return count && *count >= 0 && *count <= kHloLimits.ops.table_elements;
  };
  if (array.value.tuple_index >= 0 || !is_small(op.type)) return std::nullopt;
  const std::span<const Index> dims = op.type.dims();
  const auto count = static_cast<std::size_t>(*element_count(dims));
  if (count == 0) return Elements();
  if (op.opcode == Opcode::constant) return integer_values(op);
  Elements out;
  if (op.opcode == Opcode::iota) {
    const auto dim = counted_dimension(op);
    const auto values = values_of(op.type.array().dtype);
    if (!dim || !values || !values->contains(dims[*dim] - 1)) return std::nullopt;
    for_each_index(dims, [&](std::span<const Index> index, std::size_t) { out.push_back(index[*dim]); });
    return out;
  }
  std::vector<std::shared_ptr<const Elements>> from;
  for (const Operand& operand : op.operands) {
    if (operand.instruction->opcode == Opcode::parameter && array.calls.empty() && !options_.resolve &&
        !options_.given)
      return std::nullopt;
    if (!is_small(operand.type())) return std::nullopt;
    from.push_back(elements({operand, {}, array.calls}));
    if (from.back() == nullptr) return std::nullopt;
  }
  if (op.opcode == Opcode::dynamic_slice || op.opcode == Opcode::dynamic_update_slice)
    return with_box(op, from);
  if (op.opcode == Opcode::bitcast) {
    auto moved = std::make_shared<Elements>(count);
    if (copy_operand(op, 0, *from[0], *moved) != count) return std::nullopt;
    from[0] = std::move(moved);
  } else if (moved_operands(op.opcode, from.size()) > 0 && op.opcode != Opcode::bitcast_convert) {
    // The extents of a dynamic-reshape are known only at run time. The map of a gather has variables.
    if (op.opcode == Opcode::gather || op.opcode == Opcode::dynamic_reshape) return std::nullopt;
    // Elements that no operand holds are those of the padding.
    const bool pads = op.opcode == Opcode::pad;
    out.assign(count, pads ? (*from[1])[0] : 0);
    std::size_t copied = 0;
    for (std::size_t j = 0; j < (pads ? 1 : from.size()); ++j) {
      const auto some = copy_operand(op, j, *from[j], out);
      if (!some) return std::nullopt;
      copied += *some;
    }
    return pads || copied == count ? std::optional(std::move(out)) : std::nullopt;
  } else if (!is_elementwise(op.opcode) && op.opcode != Opcode::bitcast_convert) {
    return std::nullopt;
  }
  // Elementwise, except that a bound of a clamp or the predicate of a select may be a scalar.
  std::vector<Index> operands(from.size());
  for (std::size_t j = 0; j < from.size(); ++j) {
    if (from[j]->size() != 1 && from[j]->size() != count) return std::nullopt;
  }
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < from.size(); ++j) operands[j] = (*from[j])[from[j]->size() == 1 ? 0 : i];
    const auto value = integer_operation(op, operands);
    if (!value) return std::nullopt;
    out.push_back(*value);
  }
  return out;
}

std::optional<IntegerTable> ElementTrace::table_at(const Elements& all, std::span<const Index> extents,
                                                   std::span<const Expr> at) const {
  IntegerTable out;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const auto inside = intersect(range(at[i], domain_), Interval::of_extent(extents[i]));
    if (!inside || !Interval::of_extent(extents[i]).contains(range(at[i], domain_))) return std::nullopt;
    out.box.push_back(*inside);
  }
  std::vector<Index> index;
  std::vector<Index> begin;
  std::vector<Index> end;
  for (const Interval& box : out.box) {
    begin.push_back(box.lower);
    end.push_back(box.upper + 1);
  }
  index = begin;
  do out.values.push_back(all[static_cast<std::size_t>(number(index, extents))]);
  while (next_index(index, begin, end));
  return out;
}

std::optional<IntegerTable> ElementTrace::table(const TracedElement& element) {
  const Operand& value = element.value;
  if (!value.type().is_array() || value.type().rank() != element.at.size()) return std::nullopt;
  const std::vector<Index> extents(value.type().dims().begin(), value.type().dims().end());
  const auto all = elements({value, {}, element.calls});
  return all != nullptr && !all->empty() ? table_at(*all, extents, element.at) : std::nullopt;
}

}  // namespace tessera::detail
