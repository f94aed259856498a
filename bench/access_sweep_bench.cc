// SPDX-License-Identifier: Apache-2.0
// Searches fixes for all tiles of 16..128 x 16..128 elements of 1 to 16 bytes, written by rows in vectors and
// read by columns. Goal: access/fix_sweep worst_ms <= 50.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <string>

#include "tessera/access/access.h"

namespace tessera::bench {
namespace {

void sweep(benchmark::State& state, bool powers) {
  double worst = 0;
  double sum = 0;
  int searches = 0;
  for (auto _ : state) {
    for (Index rows = 16; rows <= 128; rows = powers ? rows * 2 : rows + 16) {
      for (Index columns = 16; columns <= 128; columns = powers ? columns * 2 : columns + 16) {
        const std::string text = "(" + std::to_string(rows) + "," + std::to_string(columns) + "):(" +
                                 std::to_string(columns) + ",1)";
        const Layout tile = *parse_layout(text);
        for (Index bytes = 1; bytes <= 16; bytes *= 2) {
          for (Index vector = 1; vector * bytes <= 16; vector *= 2) {
            const AccessOptions options{.element_bits = 8 * bytes, .global = false};
            const auto row = parse_access("rows,write,vector=" + std::to_string(vector), tile, options,
                                          whole_layout(tile));
            if (!row) continue;
            const std::vector<Access> both = {*row,
                                              *parse_access("columns", tile, options, whole_layout(tile))};
            const std::clock_t start = std::clock();  // CPU time, which excludes other programs
            benchmark::DoNotOptimize(find_fixes(tile, both, 8 * bytes, MemoryTarget()));
            const double taken = 1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
            worst = std::max(worst, taken);
            sum += taken;
            ++searches;
          }
        }
      }
    }
  }
  state.counters["searches"] = static_cast<double>(searches) / static_cast<double>(state.iterations());
  state.counters["worst_ms"] = worst;
  state.counters["mean_ms"] = sum / std::max(1, searches);
}
BENCHMARK_CAPTURE(sweep, powers, true)
    ->Name("access/fix_sweep")
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(sweep, all, false)
    ->Name("access/fix_sweep_all")
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tessera::bench
