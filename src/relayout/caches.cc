// SPDX-License-Identifier: Apache-2.0
#include "relayout/caches.h"

#include <unistd.h>

namespace tessera::moving {
namespace {

// sysconf returns 0 or -1 for a cache that it does not know.
[[maybe_unused]] Index size_or(long size, Index fallback) {
  return size > 0 ? static_cast<Index>(size) : fallback;
}

Caches& current() {
  static Caches found = [] {
    Caches caches;
#ifdef _SC_LEVEL1_DCACHE_SIZE
    caches.l1 = size_or(sysconf(_SC_LEVEL1_DCACHE_SIZE), caches.l1);
    caches.l2 = size_or(sysconf(_SC_LEVEL2_CACHE_SIZE), caches.l2);
#endif
#if defined(__x86_64__) && defined(__GNUC__)
    caches.shares_fill_buffers = __builtin_cpu_is("intel");
#endif
    return caches;
  }();
  return found;
}

}  // namespace

const Caches& caches() { return current(); }

void set_caches(const Caches& other) { current() = other; }

}  // namespace tessera::moving
