// SPDX-License-Identifier: Apache-2.0
// Copies so small that overhead dominates: planning alone, running alone, and both in one call.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "tessera/notation/layout.h"
#include "tessera/relayout/relayout.h"

namespace tessera {
namespace {

struct Pair {
  const char* name;
  const char* src;
  const char* dst;
};
constexpr Pair kPairs[] = {{"64x64", "f32[64,64]", "f32[64,64]{0,1}"},
                           {"1x1", "f32[1,1]", "f32[1,1]{0,1}"},
                           {"60x70_tiles", "f32[60,70]", "f32[60,70]{1,0:T(8,16)}"}};

struct Copy {
  explicit Copy(const Pair& pair)
      : src(parse_layout(pair.src).value()),
        dst(parse_layout(pair.dst).value()),
        from(static_cast<std::size_t>(src.buffer_size().value() * 4)),
        to(static_cast<std::size_t>(dst.buffer_size().value() * 4)) {}

  Layout src;
  Layout dst;
  std::vector<std::byte> from;
  std::vector<std::byte> to;
};

Copy copy_of(benchmark::State& state) {
  const Pair& pair = kPairs[static_cast<std::size_t>(state.range(0))];
  state.SetLabel(pair.name);
  return Copy(pair);
}

void plan_only(benchmark::State& state) {
  const Copy copy = copy_of(state);
  for (auto _ : state) benchmark::DoNotOptimize(make_plan(copy.src, copy.dst, 4));
}
BENCHMARK(plan_only)->Name("small/plan")->DenseRange(0, 2);

void run_only(benchmark::State& state) {
  Copy copy = copy_of(state);
  const RelayoutPlan plan = make_plan(copy.src, copy.dst, 4).value();
  for (auto _ : state) {
    run(plan, copy.from.data(), copy.to.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(run_only)->Name("small/run")->DenseRange(0, 2);

// The goal is 1.2 us for 64 x 64.
void plan_and_run(benchmark::State& state) {
  Copy copy = copy_of(state);
  for (auto _ : state) {
    benchmark::DoNotOptimize(relayout(copy.src, copy.dst, 4, copy.from, copy.to));
    benchmark::ClobberMemory();
  }
}
BENCHMARK(plan_and_run)->Name("small/relayout")->DenseRange(0, 2);

void find_and_run(benchmark::State& state) {
  Copy copy = copy_of(state);
  PlanCache cache;
  for (auto _ : state) {
    run(cache.plan(copy.src, copy.dst, 4).value(), copy.from.data(), copy.to.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(find_and_run)->Name("small/cached")->DenseRange(0, 2);

}  // namespace
}  // namespace tessera
