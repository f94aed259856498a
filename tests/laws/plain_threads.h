// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs one std::thread per index, because ThreadSanitizer tracks plain threads best. Runs 64 at a time,
/// because edited plans may have a million chunks.
#pragma once

#include <algorithm>
#include <functional>
#include <thread>
#include <vector>

#include "tessera/relayout/relayout.h"

namespace tessera::testing_relayout {

class PlainThreads final : public Executor {
 public:
  void parallel_for(Index n, const std::function<void(Index)>& f) override {
    constexpr Index kAtATime = 64;
    for (Index first = 0; first < n; first += kAtATime) {
      std::vector<std::thread> threads;
      for (Index i = first; i < std::min(n, first + kAtATime); ++i) threads.emplace_back([&f, i] { f(i); });
      for (std::thread& thread : threads) thread.join();
    }
  }
};

}  // namespace tessera::testing_relayout
