// SPDX-License-Identifier: Apache-2.0
/// \file
/// Ends long work that the caller no longer wants.
#pragma once

#include <atomic>
#include <functional>
#include <string_view>

#include "tessera/base/result.h"

namespace tessera::detail {

/// While it exists, the work of this thread ends soon after `wanted` returns false: searches and copies ask
/// often. Work that returns a Result then fails with cancelled_failure; other searches return what they have
/// found until then, which is not complete. Only this thread calls `wanted`.
class Cancellation {
 public:
  explicit Cancellation(std::function<bool()> wanted);
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;
  ~Cancellation();

  /// Once true, it stays true.
  bool cancelled();

  /// That of this thread; null if there is none.
  static Cancellation* current();

  /// Lets another thread work for the same question while it exists.
  class Join {
   public:
    explicit Join(Cancellation* cancellation);
    Join(const Join&) = delete;
    Join& operator=(const Join&) = delete;
    ~Join();

   private:
    Cancellation* before_;
  };

 private:
  std::function<bool()> wanted_;
  Cancellation* before_;
  const void* owner_;  // what only the thread that asks has
  std::atomic<bool> stopped_ = false;
};

/// Whether the question that this thread works for is no longer wanted.
bool cancelled();
/// Why work that ended early has no answer.
inline constexpr std::string_view kCanceled = "the question was canceled before its answer";
/// The error of work that ended early.
Failure cancelled_failure();

}  // namespace tessera::detail
