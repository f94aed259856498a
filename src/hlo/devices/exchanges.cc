// SPDX-License-Identifier: Apache-2.0
#include "hlo/devices/exchanges.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/saturating.h"
#include "hlo/analysis/array_bytes.h"
#include "hlo/analysis/written_leaves.h"
#include "hlo/check/started.h"
#include "hlo/devices/collective.h"
#include "hlo/devices/held_arrays.h"
#include "hlo/module/leaves.h"
#include "hlo/ops/collective.h"
#include "hlo/ops/values.h"
#include "map/image/image_union.h"
#include "tessera/hlo/traffic.h"

namespace tessera::detail {
namespace {

Count exchanged_bytes(const HloType& type) {
  if (!type.is_array()) return {0, 0};
  const auto bytes = array_bytes(type);
  if (bytes && type.array().is_static()) return {*bytes, *bytes};
  return {0, bytes, "an extent is known only at run time"};
}

Count operand_bytes_of(const Instruction& op) {
  Count out{0, 0};
  for (std::size_t i = 0; i < op.operands.size(); ++i) {
    const HloType& type = op.operand_type(i);
    for (std::size_t leaf = 0; leaf < type.leaf_count(); ++leaf)
      out = sum(out, exchanged_bytes(leaf_type(type, leaf)));
  }
  return out;
}

Count result_bytes_of(const Instruction& op) {
  Count out{0, 0};
  const auto [first, last] = written_leaves(op);
  for (std::size_t leaf = first; leaf < last; ++leaf)
    out = sum(out, exchanged_bytes(leaf_type(op.type, leaf)));
  return out;
}

Count multiplied(const Count& count, Index factor) {
  Count out{saturating_mul(count.lower, factor), std::nullopt, count.reason};
  if (count.upper) out.upper = checked_mul(*count.upper, factor);
  if (!out.exact() && out.reason.empty()) out.reason = "the number exceeds 64 bits";
  return out;
}

// count * part / whole, rounded up: some part of a ring has that many bytes.
Count fraction(const Count& count, Index part, Index whole) {
  Count out = multiplied(count, part);
  out.lower = ceil_div(out.lower, whole);
  if (out.upper) *out.upper = ceil_div(*out.upper, whole);
  return out;
}

Count multiplied(const Count& a, const Count& runs) {
  if (a.upper == Index{0} || runs.upper == Index{0}) return {0, 0};
  Count out{saturating_mul(a.lower, runs.lower), std::nullopt, a.reason.empty() ? runs.reason : a.reason};
  if (a.upper && runs.upper) out.upper = checked_mul(*a.upper, *runs.upper);
  if (out.exact()) out.reason.clear();
  return out;
}

Count unless_known(const char* reason) { return {0, std::nullopt, reason}; }

void fill_permute(DeviceExchange& x, const Instruction& op) {
  const auto permute = value_of<PermuteOp>(op);
  if (permute == nullptr) {
    x.received = x.ring = x.direct = unless_known("the pairs cannot be read");
    return;
  }
  std::set<Index> devices;
  bool moves = false;
  bool all = true;
  for (const SourceTarget& pair : permute->pairs) {
    devices.insert(pair.source);
    devices.insert(pair.target);
    moves = moves || pair.source != pair.target;
    all = all && pair.source != pair.target;
  }
  x.members = static_cast<Index>(devices.size());
  if (!moves) return;
  x.received = x.operand;
  if (!all || devices.size() != permute->pairs.size()) {
    x.received.lower = 0;
    x.received.reason = "some devices receive nothing";
  }
  x.ring = x.direct = x.received;
}

void fill_exchange(DeviceExchange& x, Collective collective) {
  x.received = x.ring = x.direct = {0, 0};
  const auto inner = started_operation(*x.instruction);
  const Instruction& op = inner ? *inner : *x.instruction;
  if (collective == Collective::permute) return fill_permute(x, op);
  const CollectiveGroups groups = collective_groups(op);
  x.members = groups.exist() ? groups.size().value_or(0) : 0;
  if (x.members == 1) return;
  if (x.members == 0) {
    x.received = x.ring = x.direct = unless_known("the number of devices in a group is not known");
    return;
  }
  const Index others = x.members - 1;
  switch (collective) {
    case Collective::all_gather:
      x.received = x.ring = x.direct = multiplied(x.operand, others);
      break;
    case Collective::all_reduce:
      // Every element of the result depends on the other devices. A ring scatters the sums, then gathers
      // them.
      x.received = x.operand;
      x.ring = x.direct = fraction(x.operand, 2 * others, x.members);
      // Each device but the root sends its sum up, and receives the result from the device above it.
      x.tree = x.ring;
      break;
    case Collective::reduce_scatter:
      x.received = x.result;
      x.ring = x.direct = multiplied(x.result, others);
      break;
    case Collective::all_to_all:
      x.received = x.direct = fraction(x.operand, others, x.members);
      // A block for a device at distance d passes d links, and the average distance is half of the ring.
      x.ring = fraction(x.operand, others, 2);
      break;
    case Collective::broadcast:
      x.received = x.ring = x.direct = {0, x.operand.upper, "the source receives nothing"};
      x.tree = fraction(x.operand, others, x.members);
      break;
    case Collective::ragged_all_to_all:
      x.received = x.ring = x.direct = {0, x.result.upper, "how many rows are exchanged is data"};
      break;
    case Collective::permute:  // has pairs, not groups
      break;
  }
}

// How many arrays a member of a group gets of others and does not hold itself: the least and the most of all
// groups.
std::pair<Index, Index> other_arrays(const DeviceClasses& classes, DeviceClasses::Name held,
                                     const std::vector<std::vector<Index>>& groups) {
  std::optional<std::size_t> least;
  std::size_t most = 0;
  for (const std::vector<Index>& group : groups) {
    std::set<std::uint32_t> own;
    for (const Index member : group) own.insert(classes.of(held)[static_cast<std::size_t>(member)]);
    const std::size_t others = own.empty() ? 0 : own.size() - 1;
    least = std::min(least.value_or(others), others);
    most = std::max(most, others);
  }
  return {static_cast<Index>(least.value_or(0)), static_cast<Index>(most)};
}

Count between(Index least, Index most) {
  return {least, most, least == most ? "" : "the members of some groups hold more equal arrays"};
}

// Of an array of `bytes`, what a device must get if it keeps what it holds. Empty: all that it receives.
std::optional<Count> needed_of(const Instruction& op, Collective collective, Index bytes, Index members,
                               const DeviceClasses& classes, DeviceClasses::Name held) {
  if (collective == Collective::permute) {
    const auto sources = permute_sources(op, classes.devices());
    if (!sources || op.operands.size() != 1) return std::nullopt;
    for (std::size_t d = 0; d < sources->size(); ++d)
      if ((*sources)[d] >= 0 && !classes.equal(held, d, static_cast<std::size_t>((*sources)[d])))
        return std::nullopt;
    return Count{0, 0};
  }
  const auto groups = partition_groups(op);
  if (!groups) return std::nullopt;
  for (const std::vector<Index>& group : *groups)
    for (const Index member : group)
      if (member < 0 || member >= static_cast<Index>(classes.devices())) return std::nullopt;
  const auto [least, most] = other_arrays(classes, held, *groups);
  switch (collective) {
    case Collective::all_gather:
      return between(saturating_mul(least, bytes), saturating_mul(most, bytes));
    case Collective::all_to_all:
      // Of equal arrays the parts for one device are equal.
      if (op.type.is_tuple()) return std::nullopt;
      return between(ceil_div(saturating_mul(least, bytes), members),
                     ceil_div(saturating_mul(most, bytes), members));
    case Collective::all_reduce:
    case Collective::broadcast:
    case Collective::reduce_scatter:
      if (most == 0) return Count{0, 0};
      return std::nullopt;
    case Collective::permute:
    case Collective::ragged_all_to_all:
      break;
  }
  return std::nullopt;
}

// What devices need of what they receive, if some hold equal arrays.
void fill_needed(DeviceExchange& x, Collective collective, const HeldArrays& held) {
  x.needed = x.received;
  const auto found = held.operands.find(x.instruction);
  if (held.classes == nullptr || found == held.operands.end()) return;
  const std::vector<HeldArray>& operands = found->second;
  x.stated = std::ranges::all_of(operands, &HeldArray::stated);
  const auto inner = started_operation(*x.instruction);
  const Instruction& op = inner ? *inner : *x.instruction;
  if (!x.received.exact() || operands.size() != op.operands.size() || x.members < 2) return;
  Count needed = {0, 0};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const auto bytes = array_bytes(op.operand_type(i));
    if (!bytes || !op.operand_type(i).array().is_static()) return;
    const auto own = needed_of(op, collective, *bytes, x.members, *held.classes, operands[i].classes);
    // One operand of several that is held by all is not worth a number of its own.
    if (!own) return;
    needed = sum(needed, *own);
  }
  if (needed.upper && *needed.upper < x.received.lower) x.needed = needed;
}

// Steps between a start and the end of its chain.
std::vector<const Instruction*> steps_between(const Instruction& start, const Instruction& done) {
  std::vector<const Instruction*> out;
  for (std::size_t i = start.index + 1; i < done.index; ++i) {
    const Instruction& op = *start.parent->instructions[i];
    const bool names = only_forwards(op.opcode) || op.opcode == Opcode::bitcast ||
                       op.opcode == Opcode::constant || op.opcode == Opcode::parameter;
    if (!names) out.push_back(&op);
  }
  return out;
}

// The instruction that starts what this one ends, or null.
const Instruction* start_of_end(const Instruction& op) {
  if (op.opcode == Opcode::async_done) return chain_start(op);
  const bool ends = op.opcode == Opcode::all_gather_done || op.opcode == Opcode::all_reduce_done ||
                    op.opcode == Opcode::collective_permute_done;
  return ends && op.operands.size() == 1 ? op.operands[0].instruction : nullptr;
}

// What runs between starts and ends, in the order of a scheduled program.
void find_overlaps(const Computation& computation, std::vector<DeviceExchange>& exchanges) {
  for (const auto& op : computation.instructions) {
    const Instruction* const first = op->sound ? start_of_end(*op) : nullptr;
    if (first == nullptr || first->parent != &computation || first->index >= op->index) continue;
    const Computation* const started = started_steps(*first);
    for (DeviceExchange& x : exchanges)
      if (x.instruction == first || x.instruction->parent == started) {
        x.between = steps_between(*first, *op);
        x.overlapped = static_cast<Index>(x.between.size());
      }
  }
}

Index upper_or_lower(const Count& count) { return count.upper.value_or(count.lower); }

}  // namespace

DeviceExchanges device_exchanges(const HloModule& module, const Computation* start) {
  DeviceExchanges out;
  if (start == nullptr) start = module.entry;
  if (start == nullptr) return out;
  out.scheduled = std::ranges::any_of(module.attributes, [](const Attribute& attribute) {
    return attribute.key == "is_scheduled" && attribute.value == "true";
  });
  const auto computations = executed_computations(*start);
  // Programs of many devices have collectives, others are not followed.
  std::optional<HeldArrays> held;
  for (const auto& [computation, runs] : computations) {
    if (runs.upper == Index{0}) continue;
    for (const auto& op : computation->instructions) {
      const bool readable = op->sound || op->opcode != Opcode::async_start;
      const auto collective = readable ? collective_of(*op) : std::nullopt;
      if (!collective) continue;
      DeviceExchange x{.instruction = op.get(), .runs = runs};
      if (op->sound) {
        x.operand = operand_bytes_of(*op);
        x.result = result_bytes_of(*op);
        fill_exchange(x, *collective);
        if (!held) held = held_arrays(*start);
        fill_needed(x, *collective, *held);
      } else {
        x.operand = x.result = x.received = x.needed = x.ring = x.direct =
            unless_known("the instruction has an error");
      }
      for (const Count* count : {&x.received, &x.ring, &x.direct})
        if (x.reason.empty() && !count->exact()) x.reason = count->reason;
      out.received = sum(out.received, multiplied(x.received, runs));
      out.needed = sum(out.needed, multiplied(x.needed, runs));
      out.ring = sum(out.ring, multiplied(x.ring, runs));
      out.direct = sum(out.direct, multiplied(x.direct, runs));
      out.exchanges.push_back(std::move(x));
    }
  }
  for (const auto& [computation, runs] : computations)
    if (out.scheduled && !out.exchanges.empty()) find_overlaps(*computation, out.exchanges);
  std::ranges::stable_sort(out.exchanges, std::ranges::greater{}, [](const DeviceExchange& x) {
    return saturating_mul(upper_or_lower(x.direct), std::max<Index>(upper_or_lower(x.runs), 1));
  });
  return out;
}

}  // namespace tessera::detail
