// SPDX-License-Identifier: Apache-2.0
/// \file
/// A mutex that does nothing in builds without threads (WebAssembly).
#pragma once

#if defined(__wasi__) && !defined(_REENTRANT)
namespace tessera::detail {
class Mutex {
 public:
  void lock() {}
  void unlock() {}
};
}  // namespace tessera::detail
#else
#include <mutex>
namespace tessera::detail {
using Mutex = std::mutex;
}  // namespace tessera::detail
#endif

namespace tessera::detail {

/// Holds a mutex during its lifetime.
class MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace tessera::detail
