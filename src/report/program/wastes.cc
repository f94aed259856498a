// SPDX-License-Identifier: Apache-2.0
#include "report/program/wastes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/plural.h"
#include "base/printable.h"
#include "base/saturating.h"
#include "hlo/analysis/array_bytes.h"
#include "hlo/analysis/repeated_steps.h"
#include "hlo/module/leaves.h"
#include "hlo/operations/work.h"
#include "hlo/syntax/printer.h"
#include "map/image/image_union.h"
#include "report/copies_answer.h"
#include "report/indexing_text.h"
#include "report/limits.h"
#include "report/program/proposals.h"
#include "report/program/step_clock.h"
#include "report/program/step_facts.h"
#include "report/program/step_index.h"
#include "report/program/summary_words.h"
#include "tessera/notation/layout.h"

namespace tessera::detail {
namespace {

/// Broadcasts and casts of at most this many bytes are left out.
constexpr Index kFewBytes = 64;

Count at_most(Index bytes) { return {0, std::max<Index>(bytes, 0)}; }

// The only array of a type, if it has one of a known size.
std::optional<Index> size_of(const HloType& type) {
  if (!type.is_array() || !type.array().is_static()) return std::nullopt;
  return array_bytes(type);
}

// A tuple is one for each of its elements.
bool is_other_name(const Instruction& op) {
  return op.opcode == Opcode::bitcast || (only_forwards(op.opcode) && op.opcode != Opcode::copy_start);
}

// The instruction that a value comes from, past other names of one array.
const Instruction& source_of(const Instruction& op) {
  const Instruction* at = &op;
  while ((at->opcode == Opcode::bitcast || at->opcode == Opcode::opt_barrier) && at->operands.size() == 1)
    at = at->operands[0].instruction;
  return *at;
}

// The instruction that computes the result of a step: the root of a fusion.
const Instruction& maker_of(const Instruction& step) {
  const bool fused =
      step.opcode == Opcode::fusion && step.called.size() == 1 && step.called[0]->root != nullptr;
  return source_of(fused ? *step.called[0]->root : step);
}

// The widening of numbers that the step stores: its operand, or null.
const HloType* narrow_type(const Instruction& step) {
  const Instruction& maker = maker_of(step);
  if (maker.opcode != Opcode::convert || maker.operands.size() != 1) return nullptr;
  const HloType& from = maker.operand_type(0);
  if (!from.is_array() || !maker.type.is_array()) return nullptr;
  const bool both = dtype_class(from.array().dtype) == DTypeClass::floating &&
                    dtype_class(maker.type.array().dtype) == DTypeClass::floating;
  return both && element_bits(from.array()) < element_bits(maker.type.array()) ? &from : nullptr;
}

class WasteFinder {
 public:
  WasteFinder(const ProgramReport& report, const ReportedModule& module)
      : report_(report),
        module_(module),
        index_(module),
        clock_(module.time ? &*module.time : nullptr, report.chip ? &*report.chip : nullptr) {
    for (const MovementChain& chain : module.copies.chains)
      for (const Instruction* op : chain.instructions) chains_.emplace(op, &chain);
  }

  std::vector<Waste> find() && {
    movements();
    for (const StepTraffic& step : module_.traffic.steps) {
      cast(step);
      rereads(step);
      scattered(step);
      layout_padding(step);
    }
    collectives();
    recomputed();
    for (Waste& waste : fusion_proposals(module_, index_, clock_)) out_.push_back(std::move(waste));
    for (Waste& waste : layout_proposals(module_, index_, clock_)) out_.push_back(std::move(waste));
    std::erase_if(out_, [](const Waste& x) { return x.bytes.upper == Index{0} && x.seconds.upper == 0; });
    std::ranges::stable_sort(out_, std::ranges::greater{},
                             [](const Waste& x) { return std::pair(x.seconds.finite(), upper_of(x.bytes)); });
    if (out_.size() > kReportLimits.program.wastes) out_.resize(kReportLimits.program.wastes);
    return std::move(out_);
  }

 private:
  // The instruction and the other names of its result.
  std::vector<const Instruction*> names_of(const Instruction& op) const {
    std::vector<const Instruction*> out;
    std::vector<const Instruction*> open{&op};
    std::unordered_set<const Instruction*> seen{&op};
    while (!open.empty()) {
      out.push_back(open.back());
      open.pop_back();
      for (const Instruction* user : index_.users_of(*out.back()))
        if (is_other_name(*user) && seen.insert(user).second) open.push_back(user);
    }
    return out;
  }

  // The steps that read an array under one of its names.
  std::vector<const StepTraffic*> readers_of(const std::vector<const Instruction*>& names) const {
    std::vector<const StepTraffic*> out;
    std::unordered_set<const Instruction*> seen;
    for (const Instruction* name : names) {
      for (const Instruction* user : index_.users_of(*name)) {
        const StepTraffic* const step = index_.step_of(*user);
        if (step != nullptr && seen.insert(user).second) out.push_back(step);
      }
    }
    return out;
  }

  std::vector<const StepTraffic*> readers_of(const Instruction& op) const { return readers_of(names_of(op)); }

  std::string reader_words(const Instruction& op, const std::vector<const StepTraffic*>& readers) const {
    if (readers.empty())
      return is_result(op) ? "the program returns it, or a loop or a call takes it" : "no step reads it";
    const std::string name = printable(place_name(*readers[0]->instruction));
    return readers.size() == 1
               ? name + " reads it"
               : fmt::format("{} and {} read it", name, plural(readers.size() - 1, "other step"));
  }

  // An array that could be smaller by `bytes` in each run of its step and of those that read it. `part`: of
  // the operations of readers with a product.
  void smaller_array(Waste waste, const StepTraffic& step, Index bytes, double part) {
    Index total = times_runs(step, bytes);
    waste.seconds = clock_.without_bytes(*step.instruction, at_most(bytes));
    for (const StepTraffic* reader : readers_of(*step.instruction)) {
      const Index own = std::min(bytes, upper_of(reader->used));
      total = saturating_add(total, times_runs(*reader, own));
      waste.seconds = waste.seconds + (part > 0 && has_product(*reader->instruction)
                                           ? clock_.without_work(*reader->instruction, part, at_most(own))
                                           : clock_.without_bytes(*reader->instruction, at_most(own)));
    }
    waste.seconds.lower = 0;
    waste.bytes = at_most(total);
    out_.push_back(std::move(waste));
  }

  const MovementChain* chain_of(const Instruction& op) const {
    const auto found = chains_.find(&op);
    return found == chains_.end() ? nullptr : found->second;
  }

  void movements() {
    for (const Movement& movement : module_.copies.movements) {
      const Instruction& op = *movement.instruction;
      const StepTraffic* const step = index_.step_of(op);
      if (step == nullptr || step->in_place || op.opcode == Opcode::copy_start) continue;
      moving_.insert(&op);
      const std::vector<Opcode> by = movement.by.empty() ? std::vector<Opcode>{op.opcode} : movement.by;
      const auto does = [&](Opcode opcode) { return std::ranges::find(by, opcode) != by.end(); };
      const auto result = size_of(op.type);
      const Index used = upper_of(step->used);
      if (result && does(Opcode::broadcast) && used < *result) {
        if (used == 0 || *result <= kFewBytes) continue;
        smaller_array({.kind = "broadcasts",
                       .instruction = &op,
                       .text = fmt::format("writes {} that repeat {}; {}", bytes_words(*result),
                                           bytes_words(used), reader_words(op, readers_of(op)))},
                      *step, *result - used, 0);
        // The step itself could go.
        out_.back().bytes = at_most(saturating_add(upper_of(out_.back().bytes), times_runs(*step, 2 * used)));
        continue;
      }
      if (result && does(Opcode::pad) && used < *result) {
        const double part = 1 - static_cast<double>(used) / static_cast<double>(*result);
        smaller_array(
            {.kind = "padding",
             .instruction = &op,
             .text = fmt::format("pads {} to {}: {:.0f}% is padding; {}", bytes_words(used),
                                 bytes_words(*result), 100 * part, reader_words(op, readers_of(op)))},
            *step, *result - used, part);
        continue;
      }
      whole_movement(movement, *step, by);
    }
  }

  void whole_movement(const Movement& movement, const StepTraffic& step, const std::vector<Opcode>& by) {
    const Instruction& op = *movement.instruction;
    Waste waste{.kind = "copies", .instruction = &op};
    const MovementChain* const chain = chain_of(op);
    const bool proved = movement.saving() > 0 && movement.runs.exact();
    const bool transposed = movement.answer.verdict == Verdict::no &&
                            std::ranges::find(movement.kernels, "transpose") != movement.kernels.end();
    std::string what =
        transposed ? "reads an array across its rows to write it in another order" : "only moves data";
    if (!movement.by.empty()) what += fmt::format(" ({})", fmt::join(opcode_names(by), ", "));
    if (proved) {
      what += "; the bytes keep their order, so a bitcast would do";
    } else if (chain != nullptr) {
      std::vector<std::string> names;
      for (const Instruction* other : chain->instructions)
        if (other != &op) names.push_back(printable(place_name(*other)));
      what += fmt::format("; {} {}", chain->cancels() ? "cancels with" : "could be one movement with",
                          fmt::join(names, ", "));
    }
    waste.text = fmt::format("{}: {} read and written", what, bytes_words(step.minimum()));
    const Index traffic = movement.traffic();
    waste.bytes = proved ? Count{traffic, traffic} : at_most(traffic);
    waste.seconds = clock_.without(op);
    if (!proved) waste.seconds.lower = 0;
    out_.push_back(std::move(waste));
  }

  // An array of wide numbers that are narrow ones.
  void cast(const StepTraffic& step) {
    const Instruction& op = *step.instruction;
    const HloType* const narrow = narrow_type(op);
    const auto wide = size_of(op.type);
    const auto stored = narrow != nullptr ? size_of(*narrow) : std::nullopt;
    if (!stored || !wide || *wide <= kFewBytes) return;
    smaller_array({.kind = "casts",
                   .instruction = &op,
                   .text = fmt::format("stores {} as {}: {} for {}; {}", to_string(narrow->array().dtype),
                                       to_string(op.type.array().dtype), bytes_words(*wide),
                                       bytes_words(*stored), reader_words(op, readers_of(op)))},
                  step, *wide - *stored, 0);
  }

  void rereads(const StepTraffic& step) {
    const Instruction& op = *step.instruction;
    if (step.repeated.lower == 0 || !step.repeated.upper || has_product(op) ||
        step.exactness == Exactness::unknown)
      return;
    const Count bytes = at_most(*step.repeated.upper);
    // The least time of a step has nothing that is read again, so all of it comes on top.
    Seconds seconds;
    if (report_.chip && report_.chip->bandwidth)
      seconds = times_of({0, static_cast<double>(*bytes.upper) / *report_.chip->bandwidth}, step.runs);
    out_.push_back({.kind = "rereads",
                    .instruction = &op,
                    .text = fmt::format("reads {} again within its loops, if no cache keeps them",
                                        bytes_words(*bytes.upper)),
                    .bytes = at_most(times_runs(step, *bytes.upper)),
                    .seconds = seconds,
                    .on_top = true});
  }

  // Neighboring elements of the result that need distant elements of an operand.
  void scattered(const StepTraffic& step) {
    const Instruction& op = *step.instruction;
    const ReportedInstruction& one = module_.instructions[module_.places.at(&op)];
    if (moving_.contains(&op) || has_product(op)) return;
    for (std::size_t i = 0; i < one.neighbors.size(); ++i) {
      const WarpAccess& access = report_.warps[one.neighbors[i]];
      if (!access.known() || access.fewest == 0 || access.excess() < access.fewest) continue;
      const double share = static_cast<double>(access.excess()) / static_cast<double>(access.fewest);
      const double more = share * static_cast<double>(upper_of(step.operands[i].reads.used)) *
                          static_cast<double>(operand_bits(op, step.operands[i])) / 8;
      if (more > 9e18) continue;
      const auto bytes = static_cast<Index>(more);
      Seconds seconds;
      if (report_.chip && report_.chip->bandwidth)
        seconds = times_of({0, more / *report_.chip->bandwidth}, step.runs);
      out_.push_back({.kind = "scattered",
                      .instruction = &op,
                      .text = fmt::format(
                          "reads operand {} in another order than it writes: {} neighboring elements take "
                          "{:.1f} times the pieces of 32 bytes that hold them, if no cache keeps them",
                          step.operands[i].operand, 32, share + 1),
                      .bytes = at_most(times_runs(step, bytes)),
                      .seconds = seconds,
                      .on_top = true});
    }
  }

  static Index operand_bits(const Instruction& op, const OperandReads& read) {
    const HloType& type = leaf_type(op.operand_type(read.operand), read.leaf);
    return type.is_array() ? element_bits(type.array()) : 0;
  }

  // Bytes of padding in the result of a step with tiles.
  void layout_padding(const StepTraffic& step) {
    const HloType& type = step.instruction->type;
    if (!type.is_array() || type.array().layout == nullptr || type.array().layout->tiles.empty()) return;
    const auto bytes = size_of(type);
    const auto layout = Layout::make(type.array());
    if (!layout) return;
    const auto size = layout->buffer_size();
    const auto bits = size ? checked_mul(*size, element_bits(type.array())) : std::nullopt;
    if (!bytes || !bits || ceil_div(*bits, 8) <= *bytes) return;
    const Index less = ceil_div(*bits, 8) - *bytes;
    // The least time of a step has no padding, so all of it comes on top.
    const std::vector<const StepTraffic*> readers = readers_of(*step.instruction);
    Index total = times_runs(step, less);
    for (const StepTraffic* reader : readers) total = saturating_add(total, times_runs(*reader, less));
    Seconds seconds;
    if (report_.chip && report_.chip->bandwidth)
      seconds.upper = static_cast<double>(total) / *report_.chip->bandwidth;
    out_.push_back(
        {.kind = "padding",
         .instruction = step.instruction,
         .text = fmt::format("has {} of padding in {} of memory, if padding moves with the data; {}",
                             bytes_words(less), bytes_words(ceil_div(*bits, 8)),
                             reader_words(*step.instruction, readers)),
         .bytes = at_most(total),
         .seconds = seconds,
         .on_top = true});
  }

  // Collectives that bring what devices hold already, or of which every reader together needs less than
  // arrives: the one that saves more.
  void collectives() {
    for (const DeviceExchange& exchange : module_.exchanges.exchanges) {
      std::optional<Waste> held = held_already(exchange);
      std::optional<Waste> unread = not_read(exchange);
      if (held && (!unread || unread->bytes.lower <= held->bytes.lower))
        out_.push_back(*std::move(held));
      else if (unread)
        out_.push_back(*std::move(unread));
    }
  }

  Waste exchanged_for_nothing(const DeviceExchange& exchange, const Count& bytes, std::string text) const {
    Waste waste{.kind = "collectives", .instruction = exchange.instruction, .text = std::move(text)};
    waste.bytes = product_of(bytes, exchange.runs);
    waste.seconds = clock_.without_link(*exchange.instruction, bytes);
    return waste;
  }

  // Other devices of the group hold equal arrays, as the shardings of the parameters say.
  std::optional<Waste> held_already(const DeviceExchange& exchange) const {
    if (!exchange.needed.upper || *exchange.needed.upper >= exchange.received.lower) return std::nullopt;
    const Index less = exchange.received.lower - *exchange.needed.upper;
    return exchanged_for_nothing(
        exchange, {less, less},
        fmt::format(
            "brings {} to each device, which needs {} of it: devices of its group hold equal arrays",
            bytes_words(exchange.received),
            exchange.needed.upper == Index{0} ? std::string("nothing") : bytes_words(exchange.needed)));
  }

  std::optional<Waste> not_read(const DeviceExchange& exchange) const {
    const Instruction& op = *exchange.instruction;
    const std::vector<const Instruction*> all_names = names_of(op);
    const std::unordered_set<const Instruction*> names(all_names.begin(), all_names.end());
    const std::vector<const StepTraffic*> readers = readers_of(all_names);
    if (readers.empty() || exchange.received.lower == 0 || is_result(op)) return std::nullopt;
    Index needed = 0;
    for (const StepTraffic* reader : readers) {
      if (reader->instruction == &op || is_other_name(*reader->instruction)) continue;
      for (const OperandReads& read : reader->operands) {
        if (!reads_one_of(*reader->instruction, read, names)) continue;
        const Index bits = operand_bits(*reader->instruction, read);
        const Index elements = read.reads.used.upper.value_or(read.reads.elements);
        needed = saturating_add(needed, ceil_div(saturating_mul(elements, bits), 8));
      }
    }
    if (needed >= exchange.received.lower) return std::nullopt;
    const Index less = exchange.received.lower - needed;
    const Index most = upper_of(exchange.received);
    Waste waste =
        exchanged_for_nothing(exchange, {less, most},
                              fmt::format("brings {} to each device, of which at most {} are read: {}",
                                          bytes_words(exchange.received), bytes_words(needed),
                                          smaller_exchange_words(op, readers)));
    waste.bytes = product_of({less, less}, exchange.runs);
    waste.bytes.upper = exchange.runs.upper ? checked_mul(most, *exchange.runs.upper) : std::nullopt;
    return waste;
  }

  // An exchange that gives each device another part helps only if each device reads another part.
  static std::string_view smaller_exchange_words(const Instruction& op,
                                                 const std::vector<const StepTraffic*>& readers) {
    const bool own_part = std::ranges::all_of(readers, [](const StepTraffic* reader) {
      return is_other_name(*reader->instruction) || depends_on_device(*reader->instruction);
    });
    if (own_part && (op.opcode == Opcode::all_gather || op.opcode == Opcode::all_gather_start))
      return "if each device reads another part, an all-to-all could bring only that";
    if (own_part && (op.opcode == Opcode::all_reduce || op.opcode == Opcode::all_reduce_start))
      return "if each device reads another part, a reduce-scatter could bring only that";
    return "a smaller exchange could bring only that";
  }

  // Whether the step computes indices from the number of its device: in itself, or through small arrays.
  static bool depends_on_device(const Instruction& step) {
    const auto is_number = [](const Instruction& op) {
      return op.opcode == Opcode::partition_id || op.opcode == Opcode::replica_id;
    };
    std::vector<const Instruction*> open{&step};
    std::unordered_set<const Instruction*> seen{&step};
    while (!open.empty()) {
      const Instruction& at = *open.back();
      open.pop_back();
      if (is_number(at)) return true;
      for (const Computation* called : at.called)
        if (std::ranges::any_of(called->instructions, [&](const auto& op) { return is_number(*op); }))
          return true;
      for (const Operand& operand : at.operands) {
        const auto bytes = size_of(operand.instruction->type);
        if (bytes && *bytes <= kFewBytes && seen.insert(operand.instruction).second)
          open.push_back(operand.instruction);
      }
    }
    return false;
  }

  // Whether the program returns the value, or passes it to a computation that is not followed.
  bool is_result(const Instruction& op) const {
    std::vector<const Instruction*> open{&op};
    std::unordered_set<const Instruction*> seen{&op};
    while (!open.empty()) {
      const Instruction* at = open.back();
      open.pop_back();
      if (at->is_root || at->opcode == Opcode::while_ || at->opcode == Opcode::conditional ||
          at->opcode == Opcode::call || at->opcode == Opcode::async_start)
        return true;
      for (const Instruction* user : index_.users_of(*at))
        if ((is_other_name(*user) || index_.step_of(*user) == nullptr) && seen.insert(user).second)
          open.push_back(user);
    }
    return false;
  }

  static bool reads_one_of(const Instruction& reader, const OperandReads& read,
                           const std::unordered_set<const Instruction*>& names) {
    const auto is_name = [&](std::size_t operand) {
      return names.contains(reader.operands[operand].instruction);
    };
    return is_name(read.operand) ||
           std::ranges::any_of(read.also, [&](const OperandLeaf& x) { return is_name(x.operand); });
  }

  // Whether something writes over the result, or may return it with another one.
  bool needs_own_array(const Instruction& op) const {
    return is_result(op) || std::ranges::any_of(readers_of(op), [](const StepTraffic* reader) {
             return reader->in_place || !reader->written.exact();
           });
  }

  void recomputed() {
    const auto repeated = repeated_steps(*module_.module);
    for (const StepTraffic& step : module_.traffic.steps) {
      const Instruction* const op = step.instruction;
      const auto found = repeated.find(op);
      if (found == repeated.end() || moving_.contains(op) || step.may_vanish) continue;
      Waste waste{.kind = "recomputed",
                  .instruction = op,
                  .text = fmt::format("computes what {} has computed, from the same values",
                                      printable(place_name(*found->second))),
                  .bytes = product_of(step.minimum(), step.runs),
                  .seconds = clock_.without(*op)};
      // Without it, a copy may be needed that costs as much.
      if (needs_own_array(*op) || needs_own_array(*found->second)) {
        waste.bytes.lower = 0;
        waste.seconds.lower = 0;
      }
      out_.push_back(std::move(waste));
    }
  }

  const ProgramReport& report_;
  const ReportedModule& module_;
  StepIndex index_;
  StepClock clock_;
  std::unordered_map<const Instruction*, const MovementChain*> chains_;
  std::unordered_set<const Instruction*> moving_;
  std::vector<Waste> out_;
};

}  // namespace

std::vector<Waste> wastes(const ProgramReport& report, const ReportedModule& module) {
  return WasteFinder(report, module).find();
}

}  // namespace tessera::detail
