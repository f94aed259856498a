// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <utility>

#include "tessera/relayout/relayout.h"

namespace tessera {
namespace {

std::size_t mix(std::size_t hash, Index value) {
  return hash ^ (static_cast<std::size_t>(value) + 0x9e3779b97f4a7c15ULL + (hash << 6) + (hash >> 2));
}

std::size_t hash_of(const Digits& digits) {
  std::size_t hash = mix(digits.box().size(), digits.base());
  for (const Digit& d : digits.digits()) hash = mix(mix(hash, d.ext), d.stride);
  return hash;
}

}  // namespace

// A request and its plan. The request is a pair of digit forms, or the two layouts if one has no digits.
struct PlanCache::Entry {
  std::size_t hash;
  Index element_bytes;
  PlanOptions options;
  RelayoutPlan plan;
  Index dst_elements = 0;
  std::optional<std::pair<Digits, Digits>> digits = {};
  std::optional<std::pair<Layout, Layout>> layouts = {};
  Entry* next = nullptr;
};

PlanCache::~PlanCache() {
  for (std::atomic<Entry*>& bucket : buckets_) {
    for (Entry* entry = bucket.load(); entry != nullptr;) delete std::exchange(entry, entry->next);
  }
}

template <class Same>
const PlanCache::Entry* PlanCache::find(std::size_t hash, const Same& same) const {
  const Entry* entry = buckets_[hash % kBuckets].load(std::memory_order_acquire);
  while (entry != nullptr && !(entry->hash == hash && same(*entry))) entry = entry->next;
  return entry;
}

void PlanCache::keep(Entry entry) {
  // Two threads with the same request may both add a plan. Both plans are correct, and later lookups find one
  // of them.
  if (size_.fetch_add(1, std::memory_order_relaxed) >= capacity_) {
    size_.fetch_sub(1, std::memory_order_relaxed);
    return;
  }
  std::atomic<Entry*>& bucket = buckets_[entry.hash % kBuckets];
  auto* added = new Entry(std::move(entry));
  added->next = bucket.load(std::memory_order_relaxed);
  while (!bucket.compare_exchange_weak(added->next, added, std::memory_order_release,
                                       std::memory_order_relaxed)) {
  }
}

Result<RelayoutPlan> PlanCache::plan(const Digits& src, DigitsBuffer dst, Index element_bytes,
                                     const PlanOptions& options) {
  const std::size_t hash = mix(mix(hash_of(src), static_cast<Index>(hash_of(dst.digits))), element_bytes);
  const Entry* found = find(hash, [&](const Entry& entry) {
    return entry.digits && entry.dst_elements == dst.elements && entry.element_bytes == element_bytes &&
           entry.options == options && entry.digits->first == src && entry.digits->second == dst.digits;
  });
  if (found != nullptr) return found->plan;
  auto plan = make_plan(src, dst, element_bytes, options);
  if (plan) keep({hash, element_bytes, options, *plan, dst.elements, std::pair(src, dst.digits)});
  return plan;
}

Result<RelayoutPlan> PlanCache::plan(const Layout& src, const Layout& dst, Index element_bytes,
                                     const PlanOptions& options) {
  const Digits* from = src.known_digits();
  const Digits* to = dst.known_digits();
  if (from != nullptr && to != nullptr) {
    if (const auto elements = dst.buffer_size()) return plan(*from, {*to, *elements}, element_bytes, options);
  }
  std::size_t hash = mix(0, element_bytes);
  for (const Index extent : src.shape()) hash = mix(hash, extent);
  const Entry* found = find(hash, [&](const Entry& entry) {
    return entry.layouts && entry.element_bytes == element_bytes && entry.options == options &&
           entry.layouts->first == src && entry.layouts->second == dst;
  });
  if (found != nullptr) return found->plan;
  auto plan = make_plan(src, dst, element_bytes, options);
  if (plan) keep({hash, element_bytes, options, *plan, 0, {}, std::pair(src, dst)});
  return plan;
}

}  // namespace tessera
