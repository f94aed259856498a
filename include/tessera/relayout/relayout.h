// SPDX-License-Identifier: Apache-2.0
/// \file
/// Moves data from one layout to another: relayout plans and runs, PlanCache keeps plans, run runs one.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "tessera/base/result.h"
#include "tessera/notation/layout.h"
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

/// Plans and runs: copies every element x of the common shape from from.offset(x) in src to to.offset(x) in
/// dst, on this thread. Elements have element_bytes bytes; both buffers begin at offset 0 and must not
/// overlap. Meant for copies that run once, because the plan is not kept (otherwise see RelayoutPlan and
/// PlanCache). On an error, nothing is written. Errors: those of make_plan, buffer_too_small
/// (bytes needed and given), overlap. Does not allocate for layouts with digits (strides, tiles that divide
/// each other) of at most six dimensions, unless the plan needs tables or more than four loop nests.
Result<void> relayout(const Layout& from, const Layout& to, Index element_bytes,
                      std::span<const std::byte> src, std::span<std::byte> dst,
                      const PlanOptions& options = {});

/// A cache of plans, keyed by layouts, element size and options. Layouts are compared by their digits, so two
/// spellings of one layout share a plan. Any number of threads may use the cache; a lookup takes no lock.
/// Entries are never removed: a full cache makes plans without keeping them.
class PlanCache {
 public:
  explicit PlanCache(std::size_t capacity = 1024) : capacity_(capacity) {}
  ~PlanCache();
  PlanCache(const PlanCache&) = delete;
  PlanCache& operator=(const PlanCache&) = delete;

  /// The cached plan, or else a new one from make_plan. Errors: those of make_plan, which are not cached.
  Result<RelayoutPlan> plan(const Layout& src, const Layout& dst, Index element_bytes,
                            const PlanOptions& options = {});
  Result<RelayoutPlan> plan(const Digits& src, DigitsBuffer dst, Index element_bytes,
                            const PlanOptions& options = {});
  Result<RelayoutPlan> plan(const StridedMove& move, Index element_bytes, const PlanOptions& options = {});

  /// Number of cached plans.
  std::size_t size() const { return size_.load(std::memory_order_relaxed); }

 private:
  struct Entry;
  static constexpr std::size_t kBuckets = 256;

  template <class Same>
  const Entry* find(std::size_t hash, const Same& same) const;
  void keep(Entry entry);

  std::size_t capacity_;
  std::atomic<std::size_t> size_ = 0;
  std::array<std::atomic<Entry*>, kBuckets> buckets_ = {};
};

/// Carries out a move between two buffers, whose first elements `src` and `dst` point to, by a plan of the
/// cache. Errors: those of make_plan; then nothing is written.
Result<void> run(const StridedMove& move, Index element_bytes, const void* src, void* dst, PlanCache& plans,
                 const PlanOptions& options = {});

}  // namespace tessera
