// SPDX-License-Identifier: Apache-2.0
#include "base/cancellation.h"

#include <string>
#include <utility>

namespace tessera::detail {
namespace {

thread_local Cancellation* of_this_thread = nullptr;

}  // namespace

Cancellation::Cancellation(std::function<bool()> wanted)
    : wanted_(std::move(wanted)), before_(std::exchange(of_this_thread, this)), owner_(&of_this_thread) {}

Cancellation::~Cancellation() { of_this_thread = before_; }

bool Cancellation::cancelled() {
  if (stopped_.load(std::memory_order_relaxed)) return true;
  if (&of_this_thread != owner_) return false;
  if (wanted_()) return false;
  stopped_.store(true, std::memory_order_relaxed);
  return true;
}

Cancellation* Cancellation::current() { return of_this_thread; }

Cancellation::Join::Join(Cancellation* cancellation) : before_(std::exchange(of_this_thread, cancellation)) {}
Cancellation::Join::~Join() { of_this_thread = before_; }

bool cancelled() { return of_this_thread != nullptr && of_this_thread->cancelled(); }

Failure cancelled_failure() { return fail(Code::cancelled, std::string(kCanceled)); }

}  // namespace tessera::detail
