// SPDX-License-Identifier: Apache-2.0
/// \file
/// Operations in two halves: the start returns a tuple, and the end extracts the result from it.
#include "hlo/ops/asynchronous.h"

#include <fmt/core.h>

#include <algorithm>

#include "hlo/check/calls.h"
#include "hlo/check/started.h"
#include "hlo/check/types.h"
#include "hlo/ops/forwarding.h"
#include "hlo/ops/rule.h"

namespace tessera::detail {

Problem gives_tuple(const OpReader& reader, std::string_view what) {
  return reader.wrong_type(
      Code::shape_mismatch,
      fmt::format("{} gives {}, but the written type is {}", reader.instruction().opcode_text, what,
                  short_text(reader.instruction().type)),
      "a start returns its operands, its result and contexts");
}

Problem holds_operands(const OpReader& reader) {
  if (reader.instruction().attribute("slice_sizes") != nullptr) return std::nullopt;
  const HloType& type = reader.instruction().type;
  const HloType& operands = type.elements()[0];
  const bool one = reader.operand_count() == 1;
  bool fit = one ? compatible(operands, reader.operand(0))
                 : operands.is_tuple() && operands.elements().size() == reader.operand_count();
  for (std::size_t i = 0; fit && !one && i < reader.operand_count(); ++i)
    fit = compatible(operands.elements()[i], reader.operand(i));
  return fit ? std::nullopt : gives_tuple(reader, "its operands first");
}

namespace {

// (copy, original, contexts...)
Problem check_copy_start(const OpReader& reader) {
  TESSERA_RULE(reader.operand_count_is(1));
  TESSERA_RULE(reader.must_be_written());
  const HloType& type = reader.instruction().type;
  const auto parts = type.elements();
  if (type.is_tuple() && parts.size() >= 2 && compatible(parts[0], reader.operand(0)) &&
      compatible(parts[1], reader.operand(0))) {
    return std::nullopt;
  }
  const std::string operand = short_text(reader.operand(0));
  return gives_tuple(reader, fmt::format("({}, {}, context)", operand, operand));
}

// The copy and the original are the operand, which may be a tuple.
std::optional<ForwardedLeaf> copied_leaf(const Instruction& start, std::uint32_t leaf, Leaves& leaves) {
  const std::uint32_t arrays = leaves.count(start.operand_type(0));
  return leaf / 2 < arrays ? std::optional(ForwardedLeaf{0, leaf % arrays}) : std::nullopt;
}

// `slice` for slice-start and slice-update. Empty for async-start, which calls a computation.
std::string_view wrapped_name(std::string_view text) {
  text = text.substr(0, text.rfind('-'));
  return text == "async" ? std::string_view() : text;
}

// Checks that the operand is the result of one of these opcodes.
Problem operand_is_started(const OpReader& reader, std::initializer_list<Opcode> starts,
                           std::string_view name) {
  const Operand& operand = reader.instruction().operands[0];
  const Instruction& start = *operand.instruction;
  if (operand.tuple_index >= 0 || std::ranges::find(starts, start.opcode) == starts.end()) {
    return reader.wrong_operand(
        Code::shape_mismatch, 0,
        fmt::format("operand 0 of {} must be {}, but {}'{}' is not", reader.instruction().opcode_text, name,
                    operand.tuple_index >= 0 ? "an element of " : "", start.name),
        fmt::format("use the result of {} in this computation", name));
  }
  const std::string_view wanted = wrapped_name(reader.instruction().opcode_text);
  const std::string_view given = wrapped_name(start.opcode_text);
  if (wanted.empty() || given.empty() || wanted == given) return std::nullopt;
  return reader.wrong_operand(
      Code::shape_mismatch, 0,
      fmt::format("{} ends a {}, but operand 0 is a {}", reader.instruction().opcode_text, wanted, given),
      fmt::format("write {}{}", given, reader.instruction().opcode_text.substr(wanted.size())));
}

// The type is that of element `number` of the start.
Problem gives_element(const OpReader& reader, std::size_t number) {
  const HloType& type = reader.operand(0);
  if (!type.is_tuple() || type.elements().size() <= number)
    return reader.must_be_written();  // reported at the start
  return reader.gives(HloType(type.elements()[number]));
}

// The end of an operation with an opcode of its own for the start. It returns element `kElement`, or the
// whole value of the start.
template <Opcode kStart, int kElement>
Problem check_end(const OpReader& reader) {
  TESSERA_RULE(reader.operand_count_is(1));
  const std::string_view start = to_string(kStart);
  TESSERA_RULE(
      operand_is_started(reader, {kStart}, fmt::format("{} {}", start.starts_with("a") ? "an" : "a", start)));
  return kElement < 0 ? reader.gives(reader.operand(0)) : gives_element(reader, kElement);
}

bool is_empty_tuple(const HloType& type) { return type.is_tuple() && type.elements().empty(); }

// The type that an update with late binding must have; `bound` of its operands are parameters.
Problem gives_longer_chain(const OpReader& reader, const HloType& before) {
  std::string held;
  for (const HloType& type : bound_operands(before)->elements()) held += short_text(type) + ", ";
  for (std::size_t i = 1; i < reader.operand_count(); ++i) held += short_text(reader.operand(i)) + ", ";
  if (!held.empty()) held.resize(held.size() - 2);
  return reader.wrong_type(
      Code::shape_mismatch,
      fmt::format("{} gives (({}), result, contexts...), but the written type is {}",
                  reader.instruction().opcode_text, held, short_text(reader.instruction().type)),
      "an update adds its operands to those that the chain holds; buffers for the result are not added");
}

// With late binding, an update binds more parameters of the computation, or the result, or both. Operands
// that it does not add to those that the chain holds are buffers for the result.
Problem check_update(const OpReader& reader) {
  TESSERA_RULE(reader.operand_count_is(1, static_cast<std::size_t>(-1)));
  TESSERA_RULE(
      operand_is_started(reader, {Opcode::async_start, Opcode::async_update}, "an asynchronous start"));
  const HloType& before = reader.operand(0);
  const HloType* const held = bound_operands(before);
  const Instruction* const start = chain_start(reader.instruction());
  const Computation* const called = start == nullptr ? nullptr : started_computation(*start);
  const HloType& after = reader.instruction().type;
  const bool same = reader.written_type() == nullptr || compatible(before, after);
  if (held == nullptr || called == nullptr || (same && reader.operand_count() == 1)) {
    TESSERA_RULE(reader.operand_count_is(1));
    return reader.gives(before);
  }
  TESSERA_RULE(reader.must_be_written());
  const HloType* const holds = bound_operands(after);
  const std::size_t own = reader.operand_count() - 1;
  const std::size_t first = held->elements().size();
  if (holds == nullptr || after.elements().size() != before.elements().size() ||
      holds->elements().size() < first || holds->elements().size() - first > own) {
    return gives_longer_chain(reader, before);
  }
  const std::size_t bound = holds->elements().size() - first;
  bool fit = true;
  for (std::size_t i = 0; fit && i < first + bound; ++i) {
    fit = compatible(holds->elements()[i], i < first ? held->elements()[i] : reader.operand(1 + i - first));
  }
  for (std::size_t i = 2; fit && i < after.elements().size(); ++i)
    fit = compatible(after.elements()[i], before.elements()[i]);
  const bool binds_result = is_empty_tuple(before.elements()[1]) && !is_empty_tuple(after.elements()[1]);
  if (!fit || (!binds_result && !compatible(after.elements()[1], before.elements()[1])))
    return gives_longer_chain(reader, before);
  if (bound < own && !binds_result) return gives_longer_chain(reader, before);
  TESSERA_RULE(check_bound(reader, *called, first, 1, bound));
  if (!binds_result) return std::nullopt;
  Instruction call = reader.instruction();
  call.type = HloType(after.elements()[1]);
  return gives_root(OpReader(call), *called);
}

// An update passes on what the chain holds. If it binds operands or the result, it adds the operands to those
// held and computes the result.
std::optional<ForwardedLeaf> forwarded_by_update(const Instruction& update, std::uint32_t leaf,
                                                 Leaves& leaves) {
  const HloType& before = update.operand_type(0);
  const HloType& after = update.type;
  const auto is_chain = [](const HloType& type) { return type.is_tuple() && type.elements().size() > 1; };
  if (!is_chain(before) || !is_chain(after)) return ForwardedLeaf{0, leaf};
  const auto old = leaves.offsets(before);
  const auto now = leaves.offsets(after);
  if (update.operands.size() == 1 && old[1] == now[1] && old[2] == now[2]) return ForwardedLeaf{0, leaf};
  if (leaf < old[1]) return ForwardedLeaf{0, leaf};
  if (leaf >= now[2]) return ForwardedLeaf{0, old[2] + (leaf - now[2])};
  if (leaf >= now[1]) return std::nullopt;
  std::uint32_t rest = leaf - old[1];
  for (std::uint32_t j = 1; j < update.operands.size(); ++j) {
    const std::uint32_t count = leaves.count(update.operands[j]);
    if (rest < count) return ForwardedLeaf{j, rest};
    rest -= count;
  }
  return std::nullopt;
}

// The end returns the result that the chain holds or, if nothing bound it, that of the computation.
Problem check_done(const OpReader& reader) {
  TESSERA_RULE(reader.operand_count_is(1));
  TESSERA_RULE(
      operand_is_started(reader, {Opcode::async_start, Opcode::async_update}, "an asynchronous start"));
  const HloType& chain = reader.operand(0);
  const Instruction* const start = chain_start(reader.instruction());
  const Computation* const called = start == nullptr ? nullptr : started_computation(*start);
  if (called == nullptr || bound_operands(chain) == nullptr) return gives_element(reader, 1);
  const std::size_t bound = bound_operands(chain)->elements().size();
  if (bound < called->parameters.size()) {
    return reader.wrong_operand(
        Code::operand_count, 0,
        fmt::format("'{}' has {}, but the chain binds only {} before {}", called->name,
                    plural(called->parameters.size(), "parameter"), bound, reader.instruction().opcode_text),
        "bind the others at the start or with an update");
  }
  return is_empty_tuple(*bound_result(chain)) ? gives_root(reader, *called) : gives_element(reader, 1);
}

// The type of the start is (operands, results, contexts...); the end returns the results. If the start has no
// result, the end computes it.
std::optional<ForwardedLeaf> result_leaf(const Instruction& end, std::uint32_t leaf, Leaves& leaves) {
  const HloType& started = end.operand_type(0);
  if (!started.is_tuple() || started.elements().size() < 2) return ForwardedLeaf{0, leaf};
  const auto first = leaves.offsets(started);
  if (first[1] + leaf >= first[2]) return std::nullopt;
  return ForwardedLeaf{0, first[1] + leaf};
}

}  // namespace

constinit const OpRule kCopyStartRule = forwarding_rule(check_only<check_copy_start>, copied_leaf);
constinit const OpRule kCopyDoneRule =
    forwarding_rule(check_only<check_end<Opcode::copy_start, 0>>, same_leaf);
constinit const OpRule kAllGatherDoneRule =
    forwarding_rule(check_only<check_end<Opcode::all_gather_start, 1>>, result_leaf);
constinit const OpRule kCollectivePermuteDoneRule =
    forwarding_rule(check_only<check_end<Opcode::collective_permute_start, 1>>, result_leaf);
constinit const OpRule kAllReduceDoneRule =
    forwarding_rule(check_only<check_end<Opcode::all_reduce_start, -1>>, same_leaf);
constinit const OpRule kAsyncUpdateRule = forwarding_rule(check_only<check_update>, forwarded_by_update);
constinit const OpRule kAsyncDoneRule = forwarding_rule(check_only<check_done>, result_leaf);

}  // namespace tessera::detail
