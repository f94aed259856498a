// SPDX-License-Identifier: Apache-2.0
#include "tessera/hlo/analyze.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_set>

#if TESSERA_HAVE_TBB
#include <pthread.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/global_control.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <latch>
#include <thread>
#endif

#include "base/happens_before.h"
#include "hlo/ops/forwarding.h"
#include "hlo/ops/rule.h"

namespace tessera {
namespace {

using Clock = std::chrono::steady_clock;
using ShortfallKey = std::tuple<std::string, Exactness, std::string>;

#if TESSERA_HAVE_TBB
/// Instructions that one thread takes at a time, about a millisecond of work: passing blocks of 64 between
/// threads took longer than analyzing them.
constexpr std::size_t kBlock = 1024;
/// Blocks in flight per thread: none waits for a slow neighbor, and memory stays small.
constexpr std::size_t kBlocksPerThread = 2;
#endif

/// Most pairs of an output and an operand's array that are computed one by one. No real program has more; a
/// short hostile text could request more answers than memory holds.
constexpr std::uint64_t kMaxPairs = std::uint64_t{1} << 18;

constexpr const char* kTooManyPairs = "too many pairs of outputs and operands";

bool too_many_pairs(const Instruction& instruction) {
  // These pass each array on to one place.
  if (only_forwards(instruction.opcode)) return false;
  // Through computations only pairs that depend on each other are listed; those are counted.
  if (&detail::rule_of(instruction.opcode) == &detail::kThroughComputationsRule) return false;
  detail::Leaves leaves;
  const detail::OpFacts facts(instruction, leaves);
  if (facts.is_leafwise() || facts.pairing() != detail::Pairing::all) return false;
  std::uint64_t arrays = 0;
  for (std::size_t j = 0; j < instruction.operands.size(); ++j) arrays += facts.arrays_of(j);
  return arrays * facts.outputs() > kMaxPairs;
}

/// The maps of one pair, in parts. Unknown parts with the same reason are one member.
struct Parts {
  IndexingSet maps = {};
  /// The place of each reason, from the second part on.
  std::unordered_map<std::string, std::size_t> unknown = {};

  void append(IndexingSet&& from) {
    if (maps.empty() && from.size() == 1) {
      maps = std::move(from);
      return;
    }
    if (unknown.empty()) {
      for (std::size_t i = 0; i < maps.size(); ++i) {
        if (maps[i].exactness == Exactness::unknown) unknown.emplace(maps[i].reason, i);
      }
    }
    for (Indexing& x : from) {
      if (x.exactness == Exactness::unknown) {
        const auto [said, is_new] = unknown.emplace(x.reason, maps.size());
        if (!is_new) {
          Indexing& first = maps[said->second];
          if (first.leaf != x.leaf) first.leaf = -1;
          continue;
        }
      }
      maps.push_back(std::move(x));
    }
  }
};

/// The arrays of a tuple operand: all, except that get-tuple-element has only those it takes.
std::vector<std::uint32_t> read_leaves(ProgramIndexing& program, const Instruction& instruction,
                                       const HloType& type) {
  std::vector<std::uint32_t> out;
  if (instruction.opcode != Opcode::get_tuple_element) {
    out.resize(type.leaf_count());
    std::iota(out.begin(), out.end(), 0U);
    return out;
  }
  const auto outputs = static_cast<std::uint32_t>(instruction.type.leaf_count());
  for (std::uint32_t output = 0; output < outputs; ++output) {
    const auto read = program.output_to_input(instruction, output);
    if (read && !read->empty()) out.push_back(read->front().leaf);
  }
  return out;
}

/// Unknown once for each operand: for every output or, if there are too many, for the first.
InstructionIndexing unknown_pairs(const Instruction& instruction, std::size_t operands,
                                  const std::string& reason) {
  InstructionIndexing out{.instruction = &instruction, .pairs = {}, .exactness = Exactness::unknown};
  std::size_t outputs = instruction.type.leaf_count();
  if (outputs * operands > kMaxPairs) outputs = 1;
  for (std::uint32_t output = 0; output < outputs; ++output) {
    for (std::uint32_t operand = 0; operand < operands; ++operand) {
      out.pairs.push_back({.output = output, .operand = operand, .maps = {Indexing::unknown(reason)}});
    }
  }
  return out;
}

/// The number of operands as written, if some of them are unknown names: each is then unknown. 0: it is
/// sound, or all names are known.
std::size_t with_lost_operands(const Instruction& instruction) {
  if (instruction.sound) return 0;
  const auto& all = instruction.parent->lost_operands;
  if (const auto lost = all.find(&instruction); lost != all.end())
    return instruction.operands.size() + lost->second.size();
  // Not even a name: the line was incomplete.
  const bool needs_some = &detail::rule_of(instruction.opcode) != &detail::kNoElementsRule;
  return instruction.operands.empty() && needs_some ? 1 : 0;
}

InstructionIndexing analyze_one(ProgramIndexing& program, const Instruction& instruction,
                                IndexingDirection direction) {
  InstructionIndexing out{.instruction = &instruction, .pairs = {}, .exactness = Exactness::exact};
  if (const std::size_t operands = with_lost_operands(instruction); operands > 0)
    return unknown_pairs(instruction, operands, "the instruction has an error");
  if (instruction.operands.empty()) return out;
  if (too_many_pairs(instruction)) {
    return unknown_pairs(instruction, instruction.operands.size(), kTooManyPairs);
  }
  // A value that is passed on has as many arrays as its type.
  const bool limited = &detail::rule_of(instruction.opcode) == &detail::kThroughComputationsRule;
  std::uint64_t answers = 0;
  if (direction == IndexingDirection::output_to_input) {
    const auto outputs = static_cast<std::uint32_t>(instruction.type.leaf_count());
    for (std::uint32_t output = 0; output < outputs; ++output) {
      auto read = program.output_to_input(instruction, output);
      if (!read) continue;  // outputs were counted above
      answers += read->size();
      if (limited && answers > kMaxPairs)
        return unknown_pairs(instruction, instruction.operands.size(), kTooManyPairs);
      for (auto x = read->begin(); x != read->end();) {
        const std::uint32_t operand = x->operand;
        Parts parts;
        for (; x != read->end() && x->operand == operand; ++x) parts.append(std::move(x->maps));
        out.pairs.push_back({.output = output, .operand = operand, .maps = std::move(parts.maps)});
      }
    }
  } else {
    std::map<std::pair<std::uint32_t, std::uint32_t>, Parts> by_output;
    for (std::uint32_t operand = 0; operand < instruction.operands.size(); ++operand) {
      const HloType& type = instruction.operand_type(operand);
      for (const std::uint32_t leaf : read_leaves(program, instruction, type)) {
        auto readers = program.input_to_output(instruction, operand, leaf);
        if (!readers) continue;
        answers += readers->size();
        if (limited && answers > kMaxPairs)
          return unknown_pairs(instruction, instruction.operands.size(), kTooManyPairs);
        for (OutputIndexing& x : *readers) {
          if (type.is_tuple()) {
            for (Indexing& y : x.maps) y.leaf = static_cast<std::int32_t>(leaf);
          }
          by_output[{x.leaf, operand}].append(std::move(x.maps));
        }
      }
    }
    for (auto& [pair, parts] : by_output) {
      out.pairs.push_back({.output = pair.first, .operand = pair.second, .maps = std::move(parts.maps)});
    }
  }
  for (const PairIndexing& pair : out.pairs) out.exactness = std::max(out.exactness, exactness(pair.maps));
  return out;
}

/// The counts of some instructions.
class Tally {
 public:
  void count(const InstructionIndexing& one) {
    ++stats_.instructions;
    if (one.instruction->operands.empty() && one.pairs.empty()) return;
    ++stats_.analysed;
    ++(one.exactness == Exactness::exact      ? stats_.exact
       : one.exactness == Exactness::superset ? stats_.superset
                                              : stats_.unknown);
    std::set<std::pair<Exactness, std::string_view>> seen;
    for (const PairIndexing& pair : one.pairs) {
      for (const Indexing& x : pair.maps) {
        if (x.exactness != Exactness::unknown) ++stats_.maps;
        if (x.exactness == Exactness::exact) continue;
        if (!seen.emplace(x.exactness, x.reason).second) continue;
        ++shortfalls_[{std::string(one.instruction->opcode_text), x.exactness, x.reason}];
      }
    }
  }
  void add_time(Clock::duration time) { stats_.seconds += std::chrono::duration<double>(time).count(); }
  void add(const Tally& other) {
    stats_ += other.stats_;
    for (const auto& [key, number] : other.shortfalls_) shortfalls_[key] += number;
  }
  AnalyzeStats stats() && {
    for (const auto& [key, number] : shortfalls_) {
      stats_.shortfalls.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), number});
    }
    return std::move(stats_);
  }

 private:
  AnalyzeStats stats_;  // without shortfalls
  std::map<ShortfallKey, std::uint64_t> shortfalls_;
};

/// The maps of the instruction are those of the computation it calls. A reduce-start calls one too, but only
/// to combine elements.
bool walks_through(const Instruction& instruction) {
  if (instruction.opcode == Opcode::fusion || instruction.opcode == Opcode::call) return true;
  const std::string_view text = instruction.opcode_text;
  return text == "async-start" || text == "fusion-start" || text == "call-start";
}

/// The instructions that the options choose, in the order of the module.
std::vector<const Instruction*> chosen(const HloModule& module, const AnalyzeOptions& options) {
  std::unordered_set<const Computation*> folded;
  if (options.fused) {
    for (const auto& computation : module.computations) {
      for (const auto& instruction : computation->instructions) {
        if (!walks_through(*instruction)) continue;
        folded.insert(instruction->called.begin(), instruction->called.end());
      }
    }
  }
  std::vector<const Instruction*> out;
  for (const auto& computation : module.computations) {
    if (!options.computation.empty() ? computation->name != options.computation
                                     : folded.contains(computation.get())) {
      continue;
    }
    for (const auto& instruction : computation->instructions) {
      if (options.op.empty() || instruction->opcode_text == options.op || instruction->name == options.op) {
        out.push_back(instruction.get());
      }
    }
  }
  return out;
}

#if TESSERA_HAVE_TBB
/// How many of these threads the system can start, including this one: oneTBB ends the process if it cannot
/// start one. POSIX threads, because std::thread reports failure only as an exception.
std::size_t startable(std::size_t threads) {
  std::latch all_started(1);
  const auto wait = [](void* latch) -> void* {
    static_cast<std::latch*>(latch)->wait();
    return nullptr;
  };
  std::vector<pthread_t> started;
  pthread_t thread{};
  while (started.size() + 1 < threads && pthread_create(&thread, nullptr, wait, &all_started) == 0)
    started.push_back(thread);
  all_started.count_down();
  for (const pthread_t one : started) pthread_join(one, nullptr);
  return started.size() + 1;
}

/// A block of instructions on its way through the pipeline.
struct Block {
  std::size_t first = 0;
  Tally tally;
  std::vector<InstructionIndexing> maps;  // only if there is a consumer
};

/// Blocks are analyzed in parallel and passed on in order. Each stays with one thread as long as it can, so
/// that the thread frees what it allocated.
void analyze_in_parallel(std::span<const Instruction* const> instructions, const AnalyzeOptions& options,
                         std::size_t threads, const InstructionConsumer& consume, Tally& tally) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  tbb::task_arena arena(static_cast<int>(threads));
  const ProgramIndexing shared(options.walk);
  tbb::enumerable_thread_specific<ProgramIndexing> programs([&] { return shared.for_another_thread(); });
  // Blocks end in the order in which they begin: when the pipeline is full, the oldest is finished.
  std::vector<Block> blocks(threads * kBlocksPerThread);
  std::size_t next = 0;
  const auto take = [&](tbb::flow_control& flow) -> Block* {
    const detail::Turn mine(&next);
    if (next >= instructions.size()) {
      flow.stop();
      return nullptr;
    }
    Block* const block = &blocks[next / kBlock % blocks.size()];
    const detail::Turn turn(block);
    block->first = next;
    next += kBlock;
    return block;
  };
  const auto work = [&](Block* block) {
    const detail::Turn turn(block);
    ProgramIndexing& program = programs.local();
    const std::size_t count = std::min(kBlock, instructions.size() - block->first);
    for (const Instruction* instruction : instructions.subspan(block->first, count)) {
      InstructionIndexing one = analyze_one(program, *instruction, options.direction);
      block->tally.count(one);
      if (consume) block->maps.push_back(std::move(one));
    }
    return block;
  };
  const auto hand_on = [&](Block* block) {
    const detail::Turn mine(&tally);
    const detail::Turn turn(block);
    tally.add(block->tally);
    for (InstructionIndexing& one : block->maps) consume(std::move(one));
    block->tally = {};
    block->maps.clear();
  };
  const auto start = Clock::now();
  // What oneTBB guarantees: the filters of a block run in order, and each serial filter takes blocks in
  // order.
  detail::happens_before(&next);
  arena.execute([&] {
    tbb::parallel_pipeline(blocks.size(),
                           tbb::make_filter<void, Block*>(tbb::filter_mode::serial_in_order, take) &
                               tbb::make_filter<Block*, Block*>(tbb::filter_mode::parallel, work) &
                               tbb::make_filter<Block*, void>(tbb::filter_mode::serial_in_order, hand_on));
  });
  detail::happens_after(&next);
  detail::happens_after(&tally);
  tally.add_time(Clock::now() - start);
}
#endif

}  // namespace

AnalyzeStats& AnalyzeStats::operator+=(const AnalyzeStats& other) {
  instructions += other.instructions;
  analysed += other.analysed;
  exact += other.exact;
  superset += other.superset;
  unknown += other.unknown;
  maps += other.maps;
  seconds += other.seconds;
  // Neighbors that differ only in the count are merged.
  shortfalls.insert(shortfalls.end(), other.shortfalls.begin(), other.shortfalls.end());
  std::ranges::sort(shortfalls);
  std::vector<Shortfall> merged;
  for (Shortfall& x : shortfalls) {
    const bool same =
        !merged.empty() && std::tie(merged.back().opcode, merged.back().exactness, merged.back().reason) ==
                               std::tie(x.opcode, x.exactness, x.reason);
    if (same) {
      merged.back().count += x.count;
    } else {
      merged.push_back(std::move(x));
    }
  }
  shortfalls = std::move(merged);
  return *this;
}

AnalyzeStats analyze(const HloModule& module, const AnalyzeOptions& options,
                     const InstructionConsumer& consume) {
  Tally tally;
  const std::vector<const Instruction*> instructions = chosen(module, options);
#if TESSERA_HAVE_TBB
  std::size_t threads = options.threads;
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  threads = std::min(threads, (instructions.size() + kBlock - 1) / kBlock);
  if (threads > 1) threads = startable(threads);
  if (threads > 1) {
    analyze_in_parallel(instructions, options, threads, consume, tally);
    return std::move(tally).stats();
  }
#endif
  ProgramIndexing program(options.walk);
  auto start = Clock::now();
  for (const Instruction* instruction : instructions) {
    InstructionIndexing one = analyze_one(program, *instruction, options.direction);
    tally.count(one);
    if (!consume) continue;
    tally.add_time(Clock::now() - start);
    consume(std::move(one));
    start = Clock::now();
  }
  tally.add_time(Clock::now() - start);
  return std::move(tally).stats();
}

}  // namespace tessera
