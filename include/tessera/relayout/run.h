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

/// One after another on the calling thread.
std::unique_ptr<Executor> serial_executor();

/// executor_threads(threads) threads of oneTBB; the serial one in builds without it.
std::unique_ptr<Executor> parallel_executor(int threads);

/// The requested number of threads, but at most four per core: more only wait for each other, and each has a
/// stack. 0 means one per core. Chunks beyond that run one after another.
int executor_threads(int threads);

/// True if this build has threads.
bool has_parallel_executor();

/// Moves the data on this thread. src and dst point to offset 0 of their layouts; the bytes of
/// plan.src_range() must be readable, those of dst_range() writable, and the two must not overlap. Takes no
/// lock and does not allocate (except for `each element` through a map of more than 64 distinct operations).
void run(const RelayoutPlan& plan, const void* src, void* dst);

/// The same with the chunks in parallel. If elements overwrite a fill of the padding, the fill runs first, in
/// parallel, then the elements. A plan with too little work for two threads does not use the executor.
void run(const RelayoutPlan& plan, const void* src, void* dst, Executor& executor);

/// One chunk, 0 <= chunk < plan.chunks(), for callers with their own threads.
void run_chunk(const RelayoutPlan& plan, Index chunk, const void* src, void* dst);

/// Errors: buffer_too_small (bytes needed and given), overlap.
Result<void> check_buffers(const RelayoutPlan& plan, std::span<const std::byte> src,
                           std::span<std::byte> dst);

/// check_buffers, then run.
Result<void> run_checked(const RelayoutPlan& plan, std::span<const std::byte> src, std::span<std::byte> dst);
Result<void> run_checked(const RelayoutPlan& plan, std::span<const std::byte> src, std::span<std::byte> dst,
                         Executor& executor);

}  // namespace tessera
