// SPDX-License-Identifier: Apache-2.0
// Plans between distributions. Goal: reshard/plan_1000_* <= 1 s.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "tessera/reshard/reshard_plan.h"

namespace tessera::bench {
namespace {

// Binds and plans `count` arrays of different shapes, and computes the bytes of every place and of every
// pair.
void plan_arrays(benchmark::State& state, Index count, const std::string& from, const std::string& to) {
  const auto source = parse_distribution(from);
  const auto target = parse_distribution(to);
  for (auto _ : state) {
    std::vector<ReshardArray> arrays;
    for (Index k = 0; k < count; ++k) {
      const std::vector<Index> shape = {4096 + 128 * k, 8192 + 64 * k};
      arrays.push_back(
          {"", 16, *bind_distribution(*source, shape, 128), *bind_distribution(*target, shape, 128)});
    }
    const auto plan = make_reshard_plan(std::move(arrays));
    benchmark::DoNotOptimize(plan->total());
  }
}
BENCHMARK_CAPTURE(plan_arrays, one, 1, "{devices=[8,1]<=[8]}", "{devices=[1,8]<=[8]}")
    ->Name("reshard/plan_1_rows_to_columns_8");
BENCHMARK_CAPTURE(plan_arrays, rows, 1000, "{devices=[64,1]<=[64]}", "{devices=[128,1]<=[128]}")
    ->Name("reshard/plan_1000_rows_64_to_128")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(plan_arrays, columns, 1000, "{devices=[64,1]<=[64]}", "{devices=[1,128]<=[128]}")
    ->Name("reshard/plan_1000_rows_64_to_columns_128")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(plan_arrays, cyclic, 1000, "mesh[p=8,q=8] [p(cyclic 64), q(cyclic 64)]",
                  "mesh[p=8,q=16] [p(cyclic 48), q(cyclic 48)]")
    ->Name("reshard/plan_1000_cyclic_64_to_128")
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tessera::bench
