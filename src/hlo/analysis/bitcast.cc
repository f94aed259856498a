// SPDX-License-Identifier: Apache-2.0
#include "hlo/analysis/bitcast.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/plural.h"
#include "hlo/analysis/zero_count.h"
#include "hlo/limits.h"
#include "map/values/enumerate.h"
#include "tessera/hlo/walk.h"
#include "tessera/map/map_algebra.h"
#include "tessera/notation/layout.h"

namespace tessera {

bool detail::only_moves(Opcode opcode) {
  return opcode == Opcode::bitcast || opcode == Opcode::copy || may_become_bitcast(opcode);
}

namespace {

BitcastAnswer undecided(std::string reason) { return {.reason = std::move(reason)}; }

Index memory_space(const TensorType& type) { return type.layout == nullptr ? 0 : type.layout->memory_space; }

// The operand or the result: an array in memory.
struct Buffer {
  Layout layout;
  Index bits;          // from one element to the next
  Index buffer_bits;   // with padding
  Index element_bits;  // all elements, without padding
};

Result<Buffer> buffer_of(const TensorType& type, const char* side) {
  if (type.rank() > 0 && type.layout == nullptr)
    return fail(Code::missing_layout, fmt::format("the {} has no layout", side));
  auto layout = Layout::make(type);
  if (!layout) return fail(layout.error());
  const Index bits = layout->element_bits().value_or(bit_width(type.dtype));
  const auto size = layout->buffer_size();
  if (!size) return fail(size.error());
  Buffer out{*std::move(layout), bits, 0, 0};
  if (mul_overflows(*size, bits, out.buffer_bits) || mul_overflows(out.layout.size(), bits, out.element_bits))
    return fail(Code::overflow, fmt::format("the size of the {} in bits does not fit in 64 bits", side));
  return out;
}

// From an index of the result to the first bit of its element in the operand.
Result<IndexMap> operand_bit(const IndexMap& map, const Buffer& operand) {
  auto offset = compose(map, lower(operand.layout));
  if (!offset) return offset;
  return IndexMap::make_unchecked(offset->domain(), {offset->results()[0] * operand.bits});
}

// If the element widths differ, the narrower side has a minor dimension over the parts of a wider element,
// least significant part first. On the wider side, each part adds its position to the bit offset of the
// element.
struct BitcastParts {
  Index of_operand = 0;  // bits of a part; 0: no parts
  Index of_result = 0;
};

BitcastParts parts_of(const Instruction& op, const Buffer& operand, const Buffer& result) {
  const std::size_t in = op.operand_type(0).rank();
  const std::size_t out = op.type.rank();
  if (out > in) return {.of_operand = result.bits};
  if (in > out) return {.of_result = operand.bits};
  return {};
}

void compare_elements(BitcastAnswer& answer, const IndexingSet& maps, const BitcastParts& parts,
                      const Buffer& operand, const Buffer& result) {
  if (maps.size() != 1 || maps.front().exactness != Exactness::exact ||
      !maps.front().map.constraints().empty()) {
    answer.reason = maps.empty() || maps.front().reason.empty() ? "the map to the operand is not a function"
                                                                : maps.front().reason;
    return;
  }
  const IndexMap& map = maps.front().map;
  const std::size_t rank = map.dim_count();
  if (map.known_empty()) {
    answer.verdict = Verdict::yes;
    answer.moved_bytes = 0;
    return;
  }
  const auto from = operand_bit(map, operand);
  if (!from) {
    answer.reason = from.error().message;
    return;
  }
  Expr from_bit = from->results()[0];
  Expr to_bit = lower(result.layout).results()[0] * result.bits;
  if (parts.of_operand > 0) {
    from_bit = from_bit + Expr::variable(static_cast<Index>(rank) - 1) * parts.of_operand;
  } else if (parts.of_result > 0) {
    to_bit = to_bit + Expr::variable(static_cast<Index>(rank)) * parts.of_result;
  }
  // The constraints that compose() added always hold: each operand index is in its interval.
  std::vector<Interval> box = box_of(map.domain());
  const Domain domain = map.domain().with(box, {});
  const Expr distance = simplify(from_bit - to_bit, domain);
  if (distance.is_constant()) answer.start_bit = distance.value();
  if (distance.is_constant(0)) {
    answer.verdict = Verdict::yes;
    answer.moved_bytes = 0;
    return;
  }
  const detail::FirstNonzero first = detail::first_nonzero(distance, box);
  const std::optional<Index> in_place = detail::count_zeros(distance, box);
  const std::optional<Index> points = point_count(box);
  if (points && in_place) {
    const Index bits = std::min(operand.bits, result.bits);
    answer.moved_bytes = ceil_div((*points - *in_place) * bits, 8);
  }
  if (first.complete || (points && in_place == points)) {
    answer.verdict = Verdict::yes;
    answer.moved_bytes = 0;
  } else if (!first.point.empty()) {
    answer.verdict = Verdict::no;
    answer.element.assign(first.point.begin(), first.point.begin() + static_cast<std::ptrdiff_t>(rank));
    answer.from_bit = evaluate(from_bit, first.point).value_or(0);
    answer.to_bit = evaluate(to_bit, first.point).value_or(0);
  } else if (points && in_place) {
    answer.verdict = Verdict::no;
  } else {
    answer.reason = fmt::format("the first {} elements stay in place; the others were not compared",
                                detail::kHloLimits.analysis.zero_steps);
  }
}

// Computes the maps only if elements may move; `stays` says that none does.
template <class Maps>
BitcastAnswer compare(const TensorType& from, const TensorType& to, bool stays, const Maps& maps_and_parts) {
  const auto operand = buffer_of(from, "operand");
  if (!operand) return undecided(operand.error().message);
  const auto result = buffer_of(to, "result");
  if (!result) return undecided(result.error().message);

  BitcastAnswer answer{.bytes = ceil_div(result->element_bits, 8)};
  if (memory_space(from) != memory_space(to)) {
    answer.verdict = Verdict::no;
    answer.reason = fmt::format("the operand is in memory space {}, but the result is in {}",
                                memory_space(from), memory_space(to));
    answer.moved_bytes = answer.bytes;
    return answer;
  }
  if (stays) {
    answer.verdict = Verdict::yes;
    answer.moved_bytes = 0;
  } else {
    maps_and_parts(answer, *operand, *result);
  }
  if (operand->buffer_bits != result->buffer_bits && answer.verdict != Verdict::undecided) {
    answer.verdict = Verdict::no;
    answer.reason = fmt::format("the operand takes {} in memory, but the result takes {}",
                                detail::plural(ceil_div(operand->buffer_bits, 8), "byte"),
                                ceil_div(result->buffer_bits, 8));
  }
  return answer;
}

BitcastAnswer compare(const Instruction& op, const TensorType& from, const TensorType& to, bool stays) {
  return compare(from, to, stays, [&](BitcastAnswer& answer, const Buffer& operand, const Buffer& result) {
    const auto maps = output_to_input(op, {});
    if (!maps) {
      answer.reason = maps.error().message;
      return;
    }
    const BitcastParts parts =
        op.opcode == Opcode::bitcast_convert ? parts_of(op, operand, result) : BitcastParts();
    compare_elements(answer, *maps, parts, operand, result);
  });
}

}  // namespace

std::optional<BitcastAnswer> bitcast_answer(const Instruction& op) {
  if (!detail::only_moves(op.opcode)) return std::nullopt;
  if (!op.sound || op.operands.size() != 1) return undecided("the instruction has an error");
  const HloType& from = op.operand_type(0);
  if (!from.is_array() || !op.type.is_array()) return std::nullopt;
  // A bitcast never moves data.
  return compare(op, from.array(), op.type.array(), op.opcode == Opcode::bitcast);
}

bool detail::may_become_bitcast(Opcode opcode) {
  return opcode == Opcode::bitcast_convert || opcode == Opcode::reshape || opcode == Opcode::transpose;
}

bool detail::may_vanish(const Instruction& op) {
  if (!may_become_bitcast(op.opcode) || op.operands.size() != 1 || !op.type.is_array()) return false;
  const HloType& from = op.operand_type(0);
  const auto has_layout = [](const TensorType& type) { return type.rank() == 0 || type.layout != nullptr; };
  if (!from.is_array() || (has_layout(from.array()) && has_layout(op.type.array()))) return false;
  const auto answer = bitcast_answer(op);
  return answer && answer->verdict == Verdict::undecided;
}

BitcastAnswer detail::bitcast_answer_with(const Instruction& op, const TensorType& operand,
                                          const TensorType& result) {
  return compare(op, operand, result, false);
}

BitcastAnswer detail::movement_answer(const IndexingSet& maps, const TensorType& operand,
                                      const TensorType& result) {
  return compare(operand, result, false, [&](BitcastAnswer& answer, const Buffer& from, const Buffer& to) {
    compare_elements(answer, maps, {}, from, to);
  });
}

}  // namespace tessera
