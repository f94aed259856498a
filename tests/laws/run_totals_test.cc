// SPDX-License-Identifier: Apache-2.0
// The totals of `tessera hlo --padding`, `--copies` and `--traffic` are those of a run that is followed
// element by element.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <random>
#include <regex>
#include <set>

#include "hlo/analysis/copies.h"
#include "hlo/analysis/padding.h"
#include "laws/array_placement.h"
#include "laws/movement_program.h"
#include "laws/program_model.h"
#include "laws/run_counts.h"
#include "laws/step_bytes.h"
#include "laws/tuple_leaves.h"
#include "tessera/hlo/traffic.h"

namespace tessera::laws {
namespace {

/// How often each case occurred. If a case never occurred, the test proves nothing about it.
struct TotalsCoverage {
  Index programs = 0;
  Index exact_steps = 0;
  Index exact_programs = 0;
  Index fusions = 0;
  Index moving = 0;
  Index chains = 0;
  Index cancelling = 0;
  Index never_run = 0;     ///< computations in loops without iterations
  Index padded = 0;        ///< programs whose arrays have padding
  Index called_alike = 0;  ///< steps whose operands are one array in some of their calls only
};

bool bounds_hold(const Count& count, Index least, Index most) {
  return count.lower <= least && (!count.upper || most <= *count.upper);
}

/// Whether the value may be a dynamic-update-slice, under whatever names.
bool may_be_update(const Instruction& value) {
  switch (value.opcode) {
    case Opcode::dynamic_update_slice:
      return true;
    case Opcode::tuple:
    case Opcode::get_tuple_element:
    case Opcode::opt_barrier:
    case Opcode::bitcast:
    case Opcode::reshape:
      return std::ranges::any_of(value.operands,
                                 [](const Operand& x) { return may_be_update(*x.instruction); });
    default:
      return false;
  }
}

/// Whether it may be open if the step writes only a part of its result, over an operand.
bool may_write_in_place(const Instruction& step) {
  return may_be_update(step.opcode == Opcode::fusion ? *step.called[0]->root : step);
}

/// A step that leaves its elements in place under some layouts, and whose layouts are not given.
bool has_open_layouts(const Instruction& step) {
  if (step.opcode != Opcode::reshape && step.opcode != Opcode::transpose &&
      step.opcode != Opcode::bitcast_convert)
    return false;
  const auto open = [](const TensorType& type) { return type.rank() > 0 && !type.layout; };
  return open(step.operand_type(0).array()) || open(step.type.array());
}

/// Over all runs of the step's computation.
std::optional<std::pair<StepBytes, StepBytes>> step_bytes_between(const Instruction& step, bool in_place,
                                                                  const std::set<EqualOperands>& runs) {
  std::optional<std::pair<StepBytes, StepBytes>> out;
  for (const EqualOperands& equal : runs) {
    const auto own = step_bytes(step, in_place, equal);
    if (!own) return std::nullopt;
    if (!out) out.emplace(*own, *own);
    out->first.used = std::min(out->first.used, own->used);
    out->second.used = std::max(out->second.used, own->used);
  }
  return out;
}

/// The steps, and the sums over them.
void check_traffic(const HloModule& module, const Computation& start,
                   const std::map<const Computation*, Runs>& runs, TotalsCoverage& coverage) {
  const ProgramTraffic traffic = program_traffic(module, {.start = &start});
  std::map<const Instruction*, const StepTraffic*> listed;
  for (const StepTraffic& step : traffic.steps) listed[step.instruction] = &step;
  bool exact = true;
  bool known = true;
  Runs moved;
  Runs minimum;
  const auto operands = operand_arrays(start);
  for (const auto& [computation, times] : runs) {
    for (const auto& op : computation->instructions) {
      const auto found = listed.find(op.get());
      EXPECT_EQ(found != listed.end(), is_step(*op)) << op->name << " in " << computation->name;
      if (found == listed.end() || !is_step(*op)) continue;
      const StepTraffic& step = *found->second;
      listed.erase(found);
      // Whether an update is in place is the claim of another test.
      auto truth = step_bytes_between(*op, step.in_place, operands.at(op.get()));
      // That goes for each result of a fusion.
      const bool updates = truth && op->opcode == Opcode::fusion && may_write_in_place(*op);
      if (updates && step.written.upper && *step.written.upper < truth->first.written) truth.reset();
      known = known && truth.has_value();
      if (!truth) continue;
      const auto& [least, most] = *truth;
      const std::string what = fmt::format(
          "{} in {}: read {}, used {}, written {}, inlined {}; used {} to {}, at most {} read, {} written",
          op->name, computation->name, to_string(step.read), to_string(step.used), to_string(step.written),
          to_string(step.inlined), least.used, most.used, most.read, most.written);
      EXPECT_TRUE(bounds_hold(step.written, least.written, most.written)) << what;
      EXPECT_TRUE(step.written.exact() || may_write_in_place(*op)) << what;
      EXPECT_EQ(step.runs.lower, times.least) << what;
      EXPECT_EQ(step.runs.upper, times.most) << what;
      EXPECT_NE(step.exactness, Exactness::unknown) << what;
      if (step.exactness == Exactness::exact) {
        EXPECT_TRUE(bounds_hold(step.used, least.used, most.used)) << what;
        EXPECT_TRUE(!step.read.upper || most.used <= *step.read.upper) << what;
        EXPECT_LE(step.read.lower, least.read) << what;
        EXPECT_TRUE(!step.inlined.upper || most.used <= *step.inlined.upper) << what;
        EXPECT_LE(step.inlined.lower, least.read) << what;
      } else {
        EXPECT_TRUE(!step.used.upper || most.used <= *step.used.upper) << what;
        EXPECT_TRUE(!step.read.upper || most.used <= *step.read.upper) << what;
      }
      const bool one_number = step.exactness == Exactness::exact && step.read.exact() && step.used.exact() &&
                              step.written.exact();
      coverage.exact_steps += one_number ? 1 : 0;
      coverage.fusions += op->opcode == Opcode::fusion ? 1 : 0;
      exact = exact && one_number;
      // Only the layouts decide whether it moves anything.
      const bool open = step.may_vanish;
      EXPECT_EQ(open, has_open_layouts(*op)) << what;
      moved.least += open ? 0 : times.least * (step.read.lower + least.written);
      moved.most += times.most * (step.read.lower + most.written);
      minimum.least += open ? 0 : times.least * (least.used + least.written);
      minimum.most += times.most * (most.used + most.written);
      coverage.called_alike += operands.at(op.get()).size() > 1 ? 1 : 0;
    }
  }
  EXPECT_TRUE(listed.empty()) << listed.begin()->first->name << " is listed, but does not run";
  if (!known) return;
  if (exact) {
    ++coverage.exact_programs;
    EXPECT_EQ(traffic.moved.lower, moved.least);
    EXPECT_EQ(traffic.moved.upper, moved.most);
    EXPECT_EQ(traffic.minimum.lower, minimum.least);
    EXPECT_EQ(traffic.minimum.upper, minimum.most);
  }
}

/// A movement costs a read of what it uses and a write of its result.
struct MovedInstruction {
  Indices sources;
  bool moves = false;
  Index traffic = 0;
  Index element = 0;  ///< bytes of one element in all runs
};

using MovedInstructions = std::map<const Instruction*, MovedInstruction>;

/// Bytes of the distinct sources and of the result.
Index cost(const Indices& sources, Index element) {
  return element * (std::ssize(std::set<Index>(sources.begin(), sources.end())) + std::ssize(sources));
}

/// The arrays in the values of a computation, under their first names: tuples are only names.
using FirstNames = std::map<const Instruction*, std::vector<const Instruction*>>;

FirstNames first_names(const Computation& computation) {
  FirstNames out;
  for (const auto& x : computation.instructions) {
    std::vector<const Instruction*>& own = out[x.get()];
    if (x->opcode == Opcode::tuple) {
      for (const Operand& operand : x->operands) {
        const auto& more = out.at(operand.instruction);
        own.insert(own.end(), more.begin(), more.end());
      }
    } else if (x->opcode == Opcode::get_tuple_element) {
      own = leaves_of_element(*x, out.at(x->operands[0].instruction));
    } else if (x->opcode == Opcode::opt_barrier) {
      own = out.at(x->operands[0].instruction);
    } else {
      own.assign(x->type.leaf_count(), x.get());
    }
  }
  return out;
}

/// Whether the result needs a buffer of its own, although it has the bytes of an operand of the program.
bool needs_a_buffer(const Instruction& first, const Instruction& last) {
  const FirstNames names = first_names(*last.parent);
  const auto& results = names.at(last.parent->root);
  const auto is_returned = [&](const Instruction* x) { return std::ranges::count(results, x) > 0; };
  if (!is_returned(&last)) return false;
  const auto read_by = [&](const Instruction& x) { return names.at(x.operands[0].instruction)[0]; };
  const Instruction* source = read_by(first);
  while (source->opcode == Opcode::bitcast) source = read_by(*source);
  return source->opcode == Opcode::parameter || source->opcode == Opcode::constant || is_returned(source);
}

struct Ending {
  Index saving = 0;
  bool cancels = false;
  Index members = 0;
};

/// The chain that ends at `last` and saves most, found by trying all. Nothing if no chain saves anything.
Ending best_chain(const Instruction& last, const MovedInstructions& movers,
                  const std::map<const Instruction*, Index>& users, bool is_start) {
  Ending best;
  const MovedInstruction& end = movers.at(&last);
  Indices sources = end.sources;
  Index traffic = end.traffic;
  bool shared = false;
  Index members = 1;
  for (const Instruction* now = &last;;) {
    const Instruction* before = now->operands[0].instruction;
    const auto found = movers.find(before);
    if (found == movers.end()) return best;
    shared = shared || users.at(before) > 1 || before->is_root;
    for (Index& source : sources) source = found->second.sources[static_cast<std::size_t>(source)];
    now = before;
    ++members;
    if (!found->second.moves) continue;
    traffic += found->second.traffic;
    const bool same = !buffers_differ(before->operand_type(0).array(), last.type.array(), sources);
    const bool cancels = same && !(is_start && needs_a_buffer(*before, last));
    const Index left = cancels ? 0 : cost(sources, end.element);
    const Index saving = shared ? (cancels ? end.traffic : 0) : traffic - left;
    if (saving > 0 && saving >= best.saving) best = {saving, cancels, members};
  }
}

void check_copies(const HloModule& module, const Computation& start,
                  const std::map<const Computation*, Runs>& runs, TotalsCoverage& coverage) {
  const CopiesReport report = copies_report(module, &start);
  std::map<const Instruction*, const Movement*> listed;
  for (const Movement& movement : report.movements) listed[movement.instruction] = &movement;
  std::map<const Instruction*, const MovementChain*> ends;
  std::set<const Instruction*> members;
  for (const MovementChain& chain : report.chains) {
    ends[chain.instructions.back()] = &chain;
    members.insert(chain.instructions.begin(), chain.instructions.end());
  }
  Index traffic = 0;
  Index saving = 0;
  std::size_t free = 0;
  bool all_known = true;  // no movements of several operands, which data_movement_test.cc follows
  for (const auto& [computation, times] : runs) {
    MovedInstructions movers;
    std::map<const Instruction*, Index> users;
    for (const auto& op : computation->instructions) {
      for (const Operand& operand : op->operands) ++users[operand.instruction];
      const auto sources = movement_sources(*op);
      const auto found = listed.find(op.get());
      if (!sources) {
        if (found == listed.end()) continue;
        all_known = false;
        traffic += found->second->traffic();
        listed.erase(found);
        continue;
      }
      const bool moves = buffers_differ(op->operand_type(0).array(), op->type.array(), *sources);
      const Index element = (bit_width(op->type.array().dtype) + 7) / 8 * times.most;
      movers[op.get()] = {*sources, moves, cost(*sources, element), element};
      coverage.moving += moves ? 1 : 0;
      if (!moves && op->opcode == Opcode::reshape) {
        ++free;
        EXPECT_EQ(found, listed.end()) << op->name;
        continue;
      }
      traffic += movers[op.get()].traffic;
      ASSERT_NE(found, listed.end()) << op->name;
      EXPECT_EQ(found->second->answer.verdict, moves ? Verdict::no : Verdict::yes) << op->name;
      EXPECT_EQ(found->second->traffic(), movers[op.get()].traffic) << op->name;
      listed.erase(found);
    }
    for (const auto& [op, mover] : movers) {
      if (!mover.moves || !all_known) continue;
      const Ending best = best_chain(*op, movers, users, computation == &start);
      const auto chain = ends.find(op);
      if (chain == ends.end()) {
        // A member of a chain is not the end of another one.
        EXPECT_TRUE(best.saving == 0 || members.contains(op)) << op->name;
        continue;
      }
      EXPECT_EQ(chain->second->saving, best.saving) << op->name;
      EXPECT_EQ(chain->second->cancels(), best.cancels) << op->name;
      EXPECT_EQ(std::ssize(chain->second->instructions), best.members) << op->name;
      saving += best.saving;
      ++coverage.chains;
      coverage.cancelling += best.cancels ? 1 : 0;
    }
  }
  EXPECT_TRUE(listed.empty()) << listed.begin()->first->name << " is listed, but does not run";
  EXPECT_EQ(report.traffic, traffic);
  EXPECT_EQ(report.free, free);
  if (all_known) {
    EXPECT_EQ(report.unknown, 0U);
    EXPECT_EQ(report.saving, saving);
  }
  EXPECT_LE(report.saving + report.bitcast_savings, report.traffic);
}

void check_padding(const HloModule& module, const Computation& start,
                   const std::map<const Computation*, Runs>& runs, TotalsCoverage& coverage) {
  // Whether an update is in place is the claim of another test. Some results of a fusion may be.
  std::set<const Instruction*> in_place;
  for (const StepTraffic& step : program_traffic(module, {.start = &start}).steps) {
    if (step.in_place)
      in_place.insert(step.instruction);
    else if (step.instruction->opcode == Opcode::fusion && may_write_in_place(*step.instruction))
      return;
  }
  for (const TilingRule rule : {TilingRule::tpu, TilingRule::square, TilingRule::onednn}) {
    const PaddingReport report = padding_report(module, rule, &start);
    const PaddedTotals truth = padded_totals(start, runs, rule, in_place);
    const PaddedTotals said{report.elements, report.now, report.ruled, report.best};
    EXPECT_EQ(said, truth) << to_string(rule)
                           << fmt::format(": {} {} {} {}, but {} {} {} {}", said.elements, said.now,
                                          said.ruled, said.best, truth.elements, truth.now, truth.ruled,
                                          truth.best);
    EXPECT_EQ(report.unknown, 0U);
    coverage.padded += truth.now > truth.elements ? 1 : 0;
  }
}

void check_totals(const std::string& text,
                  const std::function<const Computation&(const HloModule&)>& start_of,
                  const std::string& seed, TotalsCoverage& coverage) {
  SCOPED_TRACE(seed + "\n" + text);
  const ParsedModules parsed = parse_hlo(text);
  for (const Diagnostic& d : parsed.diagnostics) ADD_FAILURE() << to_string(d);
  ASSERT_TRUE(parsed.ok());
  const HloModule& module = parsed.modules.at(0);
  const Computation& start = start_of(module);
  const auto runs = count_runs(start);
  ASSERT_TRUE(runs.has_value());
  ++coverage.programs;
  for (const auto& [computation, times] : executed_computations(start)) {
    const auto found = runs->find(computation);
    const Runs counted = found == runs->end() ? Runs() : found->second;
    coverage.never_run += found == runs->end() ? 1 : 0;
    EXPECT_EQ(times.lower, counted.least) << computation->name;
    EXPECT_EQ(times.upper, counted.most) << computation->name;
  }
  check_traffic(module, start, *runs, coverage);
  check_copies(module, start, *runs, coverage);
  check_padding(module, start, *runs, coverage);
}

TotalsCoverage check_many_totals(std::uint64_t first_seed, int programs,
                                 const std::function<std::string(std::mt19937_64&)>& write,
                                 const std::function<const Computation&(const HloModule&)>& start_of) {
  TotalsCoverage coverage;
  if (const char* seed = std::getenv("TESSERA_SEED")) first_seed = std::strtoull(seed, nullptr, 10);
  if (const char* count = std::getenv("TESSERA_PROGRAMS")) programs = std::atoi(count);
  for (int i = 0; i < programs && !::testing::Test::HasFailure(); ++i) {
    const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(i);
    std::mt19937_64 random(seed);
    check_totals(write(random), start_of, fmt::format("seed {}", seed), coverage);
  }
  return coverage;
}

/// The text with a layout for every array type: without one, it is unknown what moves.
std::string with_layouts(const std::string& text) {
  const std::regex array("(f32|s32|pred)\\[([0-9,]+)\\]");
  std::string out;
  std::size_t done = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), array), end; at != end; ++at) {
    const auto begin = static_cast<std::size_t>(at->position() + at->length());
    out += text.substr(done, begin - done) + "{";
    const std::string dims = (*at)[2];
    for (auto d = std::ranges::count(dims, ','); d >= 0; --d) out += std::to_string(d) + (d > 0 ? "," : "}");
    done = begin;
  }
  return out + text.substr(done);
}

const Computation& entry_of(const HloModule& module) { return *module.entry; }
const Computation& fused_of(const HloModule& module) { return *module.entry->root->called[0]; }

TEST(RunTotals, OfRandomFusionsStepByStep) {
  const auto write = [](std::mt19937_64& random) {
    return with_layouts(model::random_module(random, {.instructions = 10}).text);
  };
  const TotalsCoverage coverage = check_many_totals(1, 300, write, fused_of);
  EXPECT_GT(coverage.exact_steps, 1000);
  EXPECT_GT(coverage.exact_programs, 50);
  EXPECT_GT(coverage.fusions, 50);
}

TEST(RunTotals, OfRandomFusionsAsOneStep) {
  const auto write = [](std::mt19937_64& random) {
    return with_layouts(model::random_module(random, {.instructions = 8}).text);
  };
  EXPECT_GT(check_many_totals(5000, 300, write, entry_of).fusions, 200);
}

TEST(RunTotals, OfRandomProgramsWithSortsAndUpdates) {
  const auto write = [](std::mt19937_64& random) {
    return with_layouts(model::random_module(random, {.instructions = 10, .supersets = true}).text);
  };
  EXPECT_GT(check_many_totals(10000, 300, write, fused_of).exact_steps, 500);
}

TEST(RunTotals, OfRandomMovementsBetweenLayouts) {
  const TotalsCoverage coverage = check_many_totals(20000, 500, movement_program, entry_of);
  EXPECT_GT(coverage.exact_programs, 300);
  EXPECT_GT(coverage.moving, 1000);
  EXPECT_GT(coverage.chains, 200);
  EXPECT_GT(coverage.cancelling, 50);
  EXPECT_GT(coverage.never_run, 50);
  EXPECT_GT(coverage.padded, 500);
}

}  // namespace
}  // namespace tessera::laws
