// SPDX-License-Identifier: Apache-2.0
#include "tessera/hlo/analyze.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#if TESSERA_HAVE_TBB
#include <pthread.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/global_control.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <latch>
#include <thread>
#endif

#include "base/cancellation.h"
#include "base/happens_before.h"
#include "hlo/analysis/instruction_indexing.h"
#include "hlo/analysis/tally.h"

namespace tessera {
namespace {

using detail::Tally;
using Clock = Tally::Clock;

#if TESSERA_HAVE_TBB
/// Instructions per block, about a millisecond of work. Blocks of 64 took longer to pass between threads than
/// to analyze.
constexpr std::size_t kBlock = 1024;
/// Blocks in flight per thread: enough that no thread waits for a slow one, and few enough to keep memory
/// small.
constexpr std::size_t kBlocksPerThread = 2;
#endif

/// Whether the maps of the instruction are those of the computation that it calls. A reduce-start calls one
/// too, but only to combine elements.
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
/// start a thread. Uses POSIX threads, because std::thread reports failure only as an exception.
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
struct InstructionBlock {
  std::size_t first = 0;
  Tally tally;
  std::vector<InstructionIndexing> maps;  // only if there is a consumer
};

/// Blocks are analyzed in parallel and passed on in order. Each block stays with one thread as long as it
/// can, so that the thread frees what it allocated.
void analyze_in_parallel(std::span<const Instruction* const> instructions, const AnalyzeOptions& options,
                         std::size_t threads, const InstructionConsumer& consume, Tally& tally) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  tbb::task_arena arena(static_cast<int>(threads));
  const ProgramIndexing shared(options.walk);
  tbb::enumerable_thread_specific<ProgramIndexing> programs([&] { return shared.for_another_thread(); });
  // Blocks finish in the order in which they begin: when the pipeline is full, the oldest is finished.
  std::vector<InstructionBlock> blocks(threads * kBlocksPerThread);
  std::size_t next = 0;
  detail::Cancellation* const cancellation = detail::Cancellation::current();
  const auto take = [&](tbb::flow_control& flow) -> InstructionBlock* {
    const detail::Turn mine(&next);
    const detail::Cancellation::Join join(cancellation);
    if (next >= instructions.size() || detail::cancelled()) {
      flow.stop();
      return nullptr;
    }
    InstructionBlock* const block = &blocks[next / kBlock % blocks.size()];
    const detail::Turn turn(block);
    block->first = next;
    next += kBlock;
    return block;
  };
  const auto work = [&](InstructionBlock* block) {
    const detail::Turn turn(block);
    const detail::Cancellation::Join join(cancellation);
    ProgramIndexing& program = programs.local();
    const std::size_t count = std::min(kBlock, instructions.size() - block->first);
    for (const Instruction* instruction : instructions.subspan(block->first, count)) {
      if (detail::cancelled()) break;
      InstructionIndexing one = detail::analyze_one(program, *instruction, options.direction);
      block->tally.count(one);
      if (consume) block->maps.push_back(std::move(one));
    }
    return block;
  };
  const auto deliver = [&](InstructionBlock* block) {
    const detail::Turn mine(&tally);
    const detail::Turn turn(block);
    tally.add(block->tally);
    for (InstructionIndexing& one : block->maps) consume(std::move(one));
    block->tally = {};
    block->maps.clear();
  };
  const auto start = Clock::now();
  // oneTBB guarantees that the filters of a block run in order and that each serial filter takes the blocks
  // in order.
  detail::happens_before(&next);
  arena.execute([&] {
    tbb::parallel_pipeline(
        blocks.size(),
        tbb::make_filter<void, InstructionBlock*>(tbb::filter_mode::serial_in_order, take) &
            tbb::make_filter<InstructionBlock*, InstructionBlock*>(tbb::filter_mode::parallel, work) &
            tbb::make_filter<InstructionBlock*, void>(tbb::filter_mode::serial_in_order, deliver));
  });
  detail::happens_after(&next);
  detail::happens_after(&tally);
  tally.add_time(Clock::now() - start);
}
#endif

}  // namespace

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
    if (detail::cancelled()) break;
    InstructionIndexing one = detail::analyze_one(program, *instruction, options.direction);
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
