// SPDX-License-Identifier: Apache-2.0
/// \file
/// Tells ThreadSanitizer how oneTBB, which is not instrumented, synchronizes threads. Empty in other builds.
#pragma once

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TESSERA_THREAD_SANITIZER 1
#endif
#elif defined(__SANITIZE_THREAD__)
#define TESSERA_THREAD_SANITIZER 1
#endif

#ifdef TESSERA_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

namespace tessera::detail {

/// Everything that this thread has done so far happens before everything that follows a happens_after of the
/// same point. Use it only where oneTBB guarantees this order, which the sanitizer does not check. A point is
/// any address; it is never dereferenced.
inline void happens_before([[maybe_unused]] void* point) {
#ifdef TESSERA_THREAD_SANITIZER
  __tsan_release(point);
#endif
}

/// Everything that this thread does from now on happens after every earlier happens_before of the point.
inline void happens_after([[maybe_unused]] void* point) {
#ifdef TESSERA_THREAD_SANITIZER
  __tsan_acquire(point);
#endif
}

/// Orders work that threads do in turns: each turn happens after the previous one.
class Turn {
 public:
  explicit Turn(void* point) : point_(point) { happens_after(point_); }
  ~Turn() { happens_before(point_); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  void* point_;
};

}  // namespace tessera::detail
