// SPDX-License-Identifier: Apache-2.0
#include "hlo/memory/live_arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/saturating.h"
#include "hlo/analysis/array_bytes.h"
#include "hlo/analysis/donations.h"
#include "hlo/analysis/in_place.h"
#include "hlo/analysis/written_leaves.h"
#include "hlo/check/started.h"
#include "hlo/limits.h"
#include "tessera/hlo/traffic.h"
#include "tessera/notation/layout.h"

namespace tessera::detail {
namespace {

constexpr std::size_t kNoPlace = static_cast<std::size_t>(-1);
constexpr const char* kTooManyBytes = "the number exceeds 64 bits";

// Bytes in memory: with the padding of tiles.
std::optional<Index> stored_bytes(const HloType& type) {
  if (!type.is_array()) return std::nullopt;
  const TensorType& array = type.array();
  if (array.layout == nullptr || array.layout->tiles.empty()) return array_bytes(type);
  const auto layout = Layout::make(array);
  const auto size = layout ? layout->buffer_size() : Result<Index>(fail(layout.error()));
  const auto bits = size ? checked_mul(*size, element_bits(array)) : std::nullopt;
  return bits ? std::optional(ceil_div(*bits, 8)) : std::nullopt;
}

bool in_main_memory(const HloType& type) {
  return type.array().layout == nullptr || type.array().layout->memory_space == 0;
}

std::vector<const Computation*> computations_from(const Computation& start) {
  std::vector<const Computation*> out;
  for (const ComputationRuns& x : executed_computations(start)) out.push_back(x.computation);
  return out;
}

// Who holds the arguments and the results of a computation.
enum class MemoryRole : std::uint8_t {
  program,   // arguments and results are of the program
  called,    // both are the caller's
  loop_body  // the arguments are the state of a loop, and so are the results
};

// One buffer of a computation.
struct LiveBuffer {
  ProgramArray array;
  Index bytes = 0;
  std::size_t first = 0;
  std::size_t last = 0;
  bool whole = false;     // live until the end
  bool argument = false;  // a parameter
  bool free = false;      // takes no memory here: the caller's, a constant, in another space
};

struct LivePeak {
  Index bytes = 0;
  const Instruction* at = nullptr;
  std::vector<LiveArray> held;
};

class LiveCounter {
 public:
  LiveCounter(const HloModule& module, const Computation& start)
      : start_(start), origins_(computations_from(start)), in_place_(module, start, origins_) {
    for (const Donation& x : donations(module, origins_.leaves())) donations_.push_back(x);
    if (&start != module.entry) donations_.clear();
  }

  // `optimistic`: undecided updates are in place.
  LivePeak count(bool optimistic, std::vector<Index>* steps, ProgramMemory* totals) {
    optimistic_ = optimistic;
    undecided_ = false;
    peaks_.clear();
    return simulate(start_, MemoryRole::program, 0, steps, totals);
  }
  bool undecided() const { return undecided_; }
  // Why the bytes are only a lower bound; empty if they are not.
  const std::string& unbounded() const { return unbounded_; }

  // Bytes of an order in which each step has only its operands and results, and writes a result over an
  // operand or a donated argument wherever some order could: no order needs less.
  Index fewest() {
    Index out = 0;
    const Table table = table_of(start_, MemoryRole::program, nullptr);
    const std::vector<Overwrites> overwrites = overwrites_of(table);
    Index always = 0;
    for (const LiveBuffer& buffer : table.buffers)
      if (buffer.argument && !buffer.free) always = saturating_add(always, buffer.bytes);
    for (std::size_t i = 0; i < table.needed.size(); ++i) {
      Index here = always;
      for (const std::size_t b : table.needed[i]) {
        const LiveBuffer& buffer = table.buffers[b];
        const bool shared = overwrites[b] == Overwrites::argument ||
                            (overwrites[b] == Overwrites::operand && buffer.first == i);
        if (!buffer.argument && !buffer.free && !shared) here = saturating_add(here, buffer.bytes);
      }
      out = std::max(out, here);
    }
    return std::max(out, always);
  }

 private:
  struct Table {
    std::vector<LiveBuffer> buffers;
    std::vector<std::vector<std::size_t>>
        needed;  // buffers that each instruction reads or makes, without repeats
  };

  // What an array may be written over in some order of the steps.
  enum class Overwrites : std::uint8_t { nothing, operand, argument };

  std::vector<Overwrites> overwrites_of(const Table& table) {
    std::vector<Overwrites> out(table.buffers.size(), Overwrites::nothing);
    std::map<ProgramArray, std::size_t> places;
    for (std::size_t b = 0; b < table.buffers.size(); ++b) places.emplace(table.buffers[b].array, b);
    const auto write_over = [&](std::size_t fresh, const std::optional<ProgramArray>& old) {
      const auto found = old ? places.find(*old) : places.end();
      if (found == places.end() || !owned(table.buffers[found->second], MemoryRole::program)) return;
      const bool argument =
          table.buffers[found->second].argument || out[found->second] == Overwrites::argument;
      out[fresh] = argument ? Overwrites::argument : std::max(out[fresh], Overwrites::operand);
    };
    for (std::size_t b = 0; b < table.buffers.size(); ++b) {
      const auto [op, leaf] = table.buffers[b].array;
      for (const ArrayUpdate& update : updates_of(*op))
        if (update.result == leaf && update.operand < op->operands.size())
          write_over(b, origin_of_operand(op->operands[update.operand], update.leaf));
      if (op->opcode == Opcode::while_ && op->operands.size() == 1)
        write_over(b, origin_of_operand(op->operands[0], leaf));
    }
    const std::uint32_t results = start_.root != nullptr ? origins_.leaves().count(start_.root->type) : 0;
    for (std::uint32_t leaf = 0; leaf < results; ++leaf) {
      const auto found = places.find(origins_.inside({start_.root, leaf}).array);
      if (found != places.end())
        write_over(found->second, state_of_result(start_, MemoryRole::program, leaf));
    }
    return out;
  }

  const std::vector<ArrayUpdate>& updates_of(const Instruction& op) {
    const auto [found, is_new] = updates_.try_emplace(&op);
    if (is_new && (op.opcode == Opcode::dynamic_update_slice || op.opcode == Opcode::scatter ||
                   op.opcode == Opcode::fusion))
      found->second = in_place_.updates(op);
    return found->second;
  }

  // Whether a new array is written over an operand.
  std::optional<ProgramArray> written_over(const Instruction& op, std::uint32_t leaf) {
    for (const ArrayUpdate& update : updates_of(op)) {
      if (update.result != leaf || update.in_place == Verdict::no || update.operand >= op.operands.size())
        continue;
      if (update.in_place == Verdict::undecided) {
        undecided_ = true;
        if (!optimistic_) continue;
      }
      return origin_of_operand(op.operands[update.operand], update.leaf);
    }
    return std::nullopt;
  }

  std::optional<ProgramArray> origin_of_operand(const Operand& operand, std::uint32_t leaf) {
    if (operand.instruction == nullptr || leaf >= origins_.leaves().count(operand)) return std::nullopt;
    return origins_.inside({operand.instruction, origins_.leaves().first(operand) + leaf}).array;
  }

  // The buffers of a computation, with their first and last instructions.
  Table table_of(const Computation& computation, MemoryRole role, ProgramMemory* totals) {
    Table out;
    std::map<ProgramArray, std::size_t> places;
    out.needed.resize(computation.instructions.size());
    const std::size_t end = computation.instructions.size();
    std::vector<std::size_t> stamps;  // by buffer: the last instruction that was noted for it
    const auto need = [&](std::size_t position, std::size_t buffer) {
      LiveBuffer& own = out.buffers[buffer];
      own.last = std::max(own.last, position);
      stamps.resize(out.buffers.size(), kNoPlace);
      if (stamps[buffer] == position) return;
      stamps[buffer] = position;
      out.needed[position].push_back(buffer);
    };
    for (const auto& op : computation.instructions) {
      const std::size_t position = op->index;
      if (!op->sound) unbounded_ = "an instruction has an error";
      // What only names arrays needs none.
      bool makes = false;
      const auto [first_leaf, last_leaf] = written_leaves(*op);
      std::vector<std::pair<std::size_t, std::uint32_t>> made;
      const std::uint32_t leaves = origins_.leaves().count(op->type);
      for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
        const HloType& type = leaf_type(op->type, leaf);
        if (!type.is_array()) continue;
        const bool written = leaf >= first_leaf && leaf < last_leaf;
        if (!written || origins_.inside({op.get(), leaf}).array != ProgramArray{op.get(), leaf}) continue;
        makes = true;
        made.emplace_back(out.buffers.size(), leaf);
        places.emplace(ProgramArray{op.get(), leaf}, out.buffers.size());
        out.buffers.push_back(buffer_of(*op, leaf, role, totals));
        if (op->opcode != Opcode::parameter) need(position, out.buffers.size() - 1);
      }
      if (op->opcode == Opcode::parameter || op->opcode == Opcode::constant) continue;
      if (!makes && only_forwards(op->opcode)) continue;
      if (!makes && is_renamed(*op)) continue;
      for (const Operand& operand : op->operands) {
        if (operand.instruction == nullptr || operand.instruction->parent != &computation) continue;
        const std::uint32_t count = origins_.leaves().count(operand);
        for (std::uint32_t leaf = 0; leaf < count; ++leaf) {
          const auto origin = origin_of_operand(operand, leaf);
          const auto found = origin ? places.find(*origin) : places.end();
          if (found != places.end()) need(position, found->second);
        }
      }
    }
    if (computation.root != nullptr) {
      const std::uint32_t leaves = origins_.leaves().count(computation.root->type);
      for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
        const auto found = places.find(origins_.inside({computation.root, leaf}).array);
        if (found == places.end()) continue;
        LiveBuffer& buffer = out.buffers[found->second];
        buffer.whole = true;
        buffer.last = end;
        if (role == MemoryRole::called && !buffer.argument) buffer.free = true;
      }
    }
    for (LiveBuffer& buffer : out.buffers)
      if (buffer.argument) buffer.last = end;
    join(computation, role, places, out);
    return out;
  }

  LiveBuffer buffer_of(const Instruction& op, std::uint32_t leaf, MemoryRole role, ProgramMemory* totals) {
    const HloType& type = leaf_type(op.type, leaf);
    LiveBuffer out{.array = {&op, leaf}, .first = op.index, .last = op.index};
    const auto bytes = stored_bytes(type);
    out.bytes = bytes.value_or(0);
    out.argument = op.opcode == Opcode::parameter;
    out.free = (out.argument && role != MemoryRole::program) || op.opcode == Opcode::constant;
    if (out.argument) out.first = 0;
    const bool elsewhere = !in_main_memory(type);
    if (totals != nullptr) {
      if (!bytes) ++totals->unknown;
      if (elsewhere) totals->elsewhere = saturating_add(totals->elsewhere, out.bytes);
      if (op.opcode == Opcode::constant && type.rank() > 0)
        totals->constants = saturating_add(totals->constants, out.bytes);
      if (out.argument && role == MemoryRole::program && !elsewhere)
        totals->parameters = saturating_add(totals->parameters, out.bytes);
    }
    out.free = out.free || elsewhere;
    if (!bytes && !out.free) unbounded_ = "the size of an array is not known";
    return out;
  }

  // Makes a new array and the one that it is written over one buffer: the new one takes no memory, and the
  // old one is live as long.
  void join(const Computation& computation, MemoryRole role,
            const std::map<ProgramArray, std::size_t>& places, Table& table) {
    std::vector<std::size_t> into(table.buffers.size(), kNoPlace);
    const auto root_of = [&](std::size_t b) {
      while (into[b] != kNoPlace) b = into[b];
      return b;
    };
    const auto place_of = [&](const std::optional<ProgramArray>& array) {
      const auto found = array ? places.find(*array) : places.end();
      return found == places.end() ? kNoPlace : root_of(found->second);
    };
    const auto merge = [&](std::size_t fresh, std::size_t old) {
      if (fresh == old || table.buffers[fresh].argument) return;
      into[fresh] = old;
      table.buffers[old].last = std::max(table.buffers[old].last, table.buffers[fresh].last);
      table.buffers[old].whole = table.buffers[old].whole || table.buffers[fresh].whole;
      table.buffers[fresh].free = true;
    };
    // When the array itself is last needed: an argument is kept until the end.
    std::vector<std::size_t> needed_until(table.buffers.size(), 0);
    for (std::size_t i = 0; i < table.needed.size(); ++i)
      for (const std::size_t b : table.needed[i]) needed_until[b] = i;
    std::vector<bool> returned(table.buffers.size(), false);
    std::vector<bool> taken(table.buffers.size(), false);
    const std::uint32_t results =
        computation.root != nullptr ? origins_.leaves().count(computation.root->type) : 0;
    for (std::uint32_t leaf = 0; leaf < results; ++leaf) {
      const auto found = places.find(origins_.inside({computation.root, leaf}).array);
      if (found != places.end()) returned[found->second] = true;
    }
    for (std::size_t b = 0; b < table.buffers.size(); ++b) {
      const LiveBuffer& buffer = table.buffers[b];
      const Instruction& op = *buffer.array.instruction;
      std::size_t old = place_of(written_over(op, buffer.array.leaf));
      if (op.opcode == Opcode::while_ && op.operands.size() == 1) {
        // The state of a loop stays where it is if nothing else needs it.
        const auto from = origin_of_operand(op.operands[0], buffer.array.leaf);
        const auto found = from ? places.find(*from) : places.end();
        if (found != places.end() && !taken[found->second] && !returned[found->second] &&
            needed_until[found->second] <= op.index && owned(table.buffers[found->second], role)) {
          taken[found->second] = true;
          old = root_of(found->second);
        }
      }
      if (old != kNoPlace) merge(b, old);
    }
    if (role == MemoryRole::called || computation.root == nullptr) return;
    // A result takes the place of a donated argument, or of the state before, that is needed no longer.
    for (std::uint32_t leaf = 0; leaf < results; ++leaf) {
      const auto found = places.find(origins_.inside({computation.root, leaf}).array);
      if (found == places.end() || table.buffers[found->second].argument) continue;
      const auto target = state_of_result(computation, role, leaf);
      const auto old = target ? places.find(*target) : places.end();
      if (old == places.end() || taken[old->second] || returned[old->second]) continue;
      const std::size_t fresh = root_of(found->second);
      if (fresh == old->second || table.buffers[fresh].argument) continue;
      const bool idle = needed_until[old->second] < table.buffers[fresh].first;
      if (!idle || table.buffers[old->second].bytes < table.buffers[fresh].bytes) continue;
      taken[old->second] = true;
      merge(fresh, old->second);
    }
  }

  // Whether the program may overwrite the array: an intermediate one, or a donated argument.
  bool owned(const LiveBuffer& buffer, MemoryRole role) const {
    const Instruction& op = *buffer.array.instruction;
    if (op.opcode == Opcode::constant) return false;
    if (!buffer.argument) return true;
    return role == MemoryRole::program && std::ranges::any_of(donations_, [&](const Donation& x) {
             return x.parameter == op.parameter_number && x.leaf == buffer.array.leaf;
           });
  }

  std::optional<ProgramArray> state_of_result(const Computation& computation, MemoryRole role,
                                              std::uint32_t leaf) const {
    if (role == MemoryRole::loop_body) {
      if (computation.parameters.size() != 1 || computation.parameters[0] == nullptr) return std::nullopt;
      return ProgramArray{computation.parameters[0], leaf};
    }
    for (const Donation& x : donations_) {
      if (x.result != leaf || x.parameter < 0 ||
          std::cmp_greater_equal(x.parameter, computation.parameters.size()))
        continue;
      const Instruction* const parameter = computation.parameters[static_cast<std::size_t>(x.parameter)];
      if (parameter != nullptr) return ProgramArray{parameter, x.leaf};
    }
    return std::nullopt;
  }

  // What the computations that the instruction runs need besides what the instruction itself needs.
  const LivePeak& inner_peak(const Instruction& op, int depth) {
    const auto [found, is_new] = peaks_.try_emplace(&op);
    if (!is_new) return found->second;
    if (depth >= kHloLimits.memory.call_height) {
      unbounded_ = fmt::format("calls are nested more than {} levels deep", kHloLimits.memory.call_height);
      return found->second;
    }
    LivePeak most;
    const auto consider = [&](const Computation* computation, MemoryRole role) {
      if (computation == nullptr) return;
      LivePeak own = simulate(*computation, role, depth + 1, nullptr, nullptr);
      if (own.bytes > most.bytes) most = std::move(own);
    };
    if (op.opcode == Opcode::while_) {
      for (const Computation* called : op.called)
        consider(called, called->root != nullptr && called->root->type == op.type ? MemoryRole::loop_body
                                                                                  : MemoryRole::called);
    } else if (op.opcode == Opcode::call || op.opcode == Opcode::conditional) {
      for (const Computation* called : op.called) consider(called, MemoryRole::called);
    } else if (op.opcode == Opcode::async_start) {
      consider(started_steps(op), MemoryRole::called);
    }
    return peaks_[&op] = std::move(most);
  }

  LivePeak simulate(const Computation& computation, MemoryRole role, int depth, std::vector<Index>* steps,
                    ProgramMemory* totals) {
    const Table table = table_of(computation, role, totals);
    const std::size_t count = computation.instructions.size();
    std::vector<Index> change(count + 1, 0);
    std::optional<Index> total = 0;
    for (const LiveBuffer& buffer : table.buffers) {
      if (buffer.free) continue;
      total = total ? checked_add(*total, buffer.bytes) : std::nullopt;
      if (!total) break;
      change[buffer.first] = saturating_add(change[buffer.first], buffer.bytes);
      if (buffer.last + 1 <= count) change[buffer.last + 1] -= buffer.bytes;
    }
    if (!total) unbounded_ = kTooManyBytes;
    LivePeak peak;
    std::size_t place = kNoPlace;
    Index live = 0;
    if (steps != nullptr) steps->assign(count, 0);
    for (std::size_t i = 0; i < count; ++i) {
      live = saturating_add(live, change[i]);
      const Instruction& op = *computation.instructions[i];
      const auto both = checked_add(live, op.called.empty() ? 0 : inner_peak(op, depth).bytes);
      if (!both) unbounded_ = kTooManyBytes;
      const Index all = both.value_or(live);
      if (steps != nullptr) (*steps)[i] = all;
      if (place != kNoPlace && all <= peak.bytes) continue;
      place = i;
      peak.bytes = all;
    }
    if (totals != nullptr) {
      for (const LiveBuffer& buffer : table.buffers)
        if (buffer.whole && !buffer.argument && !buffer.free)
          totals->results = saturating_add(totals->results, buffer.bytes);
    }
    if (place == kNoPlace) return peak;
    const Instruction& op = *computation.instructions[place];
    peak.at = &op;
    for (const LiveBuffer& buffer : table.buffers) {
      if (buffer.free || buffer.first > place || buffer.last < place || buffer.bytes == 0) continue;
      peak.held.push_back(
          {.instruction = buffer.array.instruction,
           .leaf = buffer.array.leaf,
           .bytes = buffer.bytes,
           .elements = array_bytes(buffer.array.type()).value_or(buffer.bytes),
           .last = buffer.last < count ? computation.instructions[buffer.last].get() : nullptr,
           .parameter = buffer.argument});
    }
    if (!op.called.empty()) {
      const LivePeak& inner = inner_peak(op, depth);
      if (inner.bytes > 0) {
        peak.at = inner.at;
        peak.held.insert(peak.held.end(), inner.held.begin(), inner.held.end());
      }
    }
    return peak;
  }

  const Computation& start_;
  ArrayOrigins origins_;
  InPlace in_place_;
  std::vector<Donation> donations_;
  std::unordered_map<const Instruction*, std::vector<ArrayUpdate>> updates_;
  std::unordered_map<const Instruction*, LivePeak> peaks_;
  bool optimistic_ = false;
  bool undecided_ = false;
  std::string unbounded_;
};

}  // namespace

ProgramMemory program_memory(const HloModule& module, const Computation* start) {
  ProgramMemory out;
  if (start == nullptr) start = module.entry;
  if (start == nullptr) return out;
  out.scheduled = std::ranges::any_of(module.attributes, [](const Attribute& attribute) {
    return attribute.key == "is_scheduled" && attribute.value == "true";
  });
  LiveCounter counter(module, *start);
  std::vector<Index> most;
  LivePeak peak = counter.count(false, &most, &out);
  out.at = peak.at;
  out.held = std::move(peak.held);
  std::ranges::stable_sort(out.held, std::ranges::greater{}, &LiveArray::bytes);
  std::vector<Index> least = most;
  Index fewest = peak.bytes;
  std::string reason;
  if (counter.undecided()) {
    fewest = counter.count(true, &least, nullptr).bytes;
    reason = "it is not decided whether an update is in place";
  }
  if (!out.scheduled) {
    fewest = std::min(fewest, counter.fewest());
    reason = "the program is not scheduled: the order of the text is one of many";
  }
  const std::string& unbounded = counter.unbounded();
  const auto between = [&](Index lower, Index upper) {
    if (!unbounded.empty()) return Count{lower, std::nullopt, unbounded};
    return Count{lower, upper, lower == upper ? "" : reason};
  };
  out.peak = between(fewest, peak.bytes);
  for (std::size_t i = 0; i < most.size(); ++i) {
    Count bytes = between(std::min(least[i], most[i]), most[i]);
    out.steps.push_back({start->instructions[i].get(), std::move(bytes)});
  }
  return out;
}

}  // namespace tessera::detail
