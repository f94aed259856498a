// SPDX-License-Identifier: Apache-2.0
/// \file
/// Threads of the caller's own, one for each index: what ThreadSanitizer sees best.
#pragma once

#include <functional>
#include <thread>
#include <vector>

#include "tessera/relayout/run.h"

namespace tessera::testing_relayout {

class PlainThreads final : public Executor {
 public:
  void parallel_for(Index n, const std::function<void(Index)>& f) override {
    std::vector<std::thread> threads;
    for (Index i = 0; i < n; ++i) threads.emplace_back([&f, i] { f(i); });
    for (std::thread& thread : threads) thread.join();
  }
};

}  // namespace tessera::testing_relayout
