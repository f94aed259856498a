// SPDX-License-Identifier: Apache-2.0
/// \file
/// Running a plan: on this thread or on many, checked or not.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "tessera/base/result.h"
#include "tessera/relayout/plan.h"

namespace tessera {

/// Runs f(0), ..., f(n - 1), in any order, on any threads, and returns when all are done.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual void parallel_for(Index n, const std::function<void(Index)>& f) = 0;
};

/// An executor that runs everything on the calling thread, in order.
std::unique_ptr<Executor> serial_executor();

/// An executor with executor_threads(threads) threads of oneTBB; the serial executor in builds without
/// oneTBB.
std::unique_ptr<Executor> parallel_executor(int threads);

/// The number of threads that actually run if `threads` are requested: at most four per core; 0 requests one
/// per core. If there are more chunks, they wait for a free thread.
int executor_threads(int threads);

/// True if this build has threads.
bool has_parallel_executor();

/// Moves the data on this thread. src and dst point to offset 0 of their layouts; the bytes of
/// plan.src_range() must be readable, those of dst_range() writable, and the two must not overlap. Takes no
/// lock and does not allocate (except for a plan with `each element` whose map has more than 64 operations).
void run(const RelayoutPlan& plan, const void* src, void* dst);

/// As above, with the chunks in parallel. A plan that first fills the whole buffer and then overwrites it
/// with elements runs the fill in parallel, then the elements. A plan of one chunk does not use the executor.
void run(const RelayoutPlan& plan, const void* src, void* dst, Executor& executor);

/// Runs one chunk, 0 <= chunk < plan.chunks(), for callers with their own threads.
void run_chunk(const RelayoutPlan& plan, Index chunk, const void* src, void* dst);

/// Checks that the buffers contain the bytes that the plan reads and writes, and do not overlap. Errors:
/// buffer_too_small (bytes needed and given), overlap.
Result<void> check_buffers(const RelayoutPlan& plan, std::span<const std::byte> src,
                           std::span<std::byte> dst);

/// check_buffers, then run. Errors: those of check_buffers.
Result<void> run_checked(const RelayoutPlan& plan, std::span<const std::byte> src, std::span<std::byte> dst);
Result<void> run_checked(const RelayoutPlan& plan, std::span<const std::byte> src, std::span<std::byte> dst,
                         Executor& executor);

}  // namespace tessera
