// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/happens_before.h"
#include "tessera/relayout/relayout.h"

#ifdef TESSERA_HAVE_TBB
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#endif

namespace tessera {
namespace {

class SerialExecutor final : public Executor {
 public:
  void parallel_for(Index n, const std::function<void(Index)>& f) override {
    for (Index i = 0; i < n; ++i) f(i);
  }
};

#ifdef TESSERA_HAVE_TBB
class TbbExecutor final : public Executor {
 public:
  // oneTBB writes to stderr if an arena has more threads than the global limit, so raise the limit first.
  explicit TbbExecutor(int threads)
      : limit_(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads)),
        arena_(threads) {}
  void parallel_for(Index n, const std::function<void(Index)>& f) override {
    // Tells the race detector what oneTBB guarantees: the caller's earlier work happens before each task, and
    // each task happens before execute() returns.
    char begin = 0;
    char end = 0;
    const auto task = [&](const tbb::blocked_range<Index>& one) {
      detail::happens_after(&begin);
      for (Index i = one.begin(); i < one.end(); ++i) f(i);
      detail::happens_before(&end);
    };
    detail::happens_before(&begin);
    // One task per chunk: the plan has already chosen the chunk size.
    // A thread that waits for the last chunks must not begin another chunk of its caller, which holds memory.
    arena_.execute([&] {
      tbb::this_task_arena::isolate(
          [&] { tbb::parallel_for(tbb::blocked_range<Index>(0, n), task, tbb::simple_partitioner()); });
    });
    detail::happens_after(&end);
  }

 private:
  tbb::global_control limit_;
  tbb::task_arena arena_;
};
#endif

}  // namespace

std::unique_ptr<Executor> serial_executor() { return std::make_unique<SerialExecutor>(); }

#ifdef TESSERA_HAVE_TBB
std::unique_ptr<Executor> parallel_executor(int threads) {
  return std::make_unique<TbbExecutor>(executor_threads(threads));
}
int executor_threads(int threads) {
  const int cores = tbb::info::default_concurrency();
  return threads > 0 ? std::min(threads, 4 * cores) : cores;
}
bool has_parallel_executor() { return true; }
#else
std::unique_ptr<Executor> parallel_executor(int /*threads*/) { return serial_executor(); }
int executor_threads(int /*threads*/) { return 1; }
bool has_parallel_executor() { return false; }
#endif

}  // namespace tessera
