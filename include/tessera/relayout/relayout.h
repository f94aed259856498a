// SPDX-License-Identifier: Apache-2.0
/// \file
/// A copy between two layouts in one call.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <span>

#include "tessera/base/result.h"
#include "tessera/notation/layout.h"
#include "tessera/relayout/plan.h"

namespace tessera {

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

}  // namespace tessera
