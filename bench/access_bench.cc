// SPDX-License-Identifier: Apache-2.0
// Memory accesses. Goals: access/report <= 20 us, access/fix_* <= 50 ms each, access/grid <= 1 ms.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "tessera/access/access.h"

namespace tessera::bench {
namespace {

Access access_of(const Layout& layout, std::string_view text, Index bits) {
  return *parse_access(text, layout, {.element_bits = bits}, whole_layout(layout));
}

void report(benchmark::State& state) {
  const Layout tile = *parse_layout("(8,64):(64,1)");
  const std::vector<Access> accesses = {access_of(tile, "A=((8,1),8):((1,0),8),vector=8", 16)};
  for (auto _ : state) benchmark::DoNotOptimize(analyze_accesses(tile, accesses, {.element_bits = 16}));
}
BENCHMARK(report)->Name("access/report");

void fix(benchmark::State& state, const std::string& layout, const std::vector<std::string>& texts,
         Index bytes) {
  const Layout tile = *parse_layout(layout);
  std::vector<Access> accesses;
  for (const std::string& text : texts) accesses.push_back(access_of(tile, text, 8 * bytes));
  for (auto _ : state) benchmark::DoNotOptimize(find_fixes(tile, accesses, 8 * bytes, MemoryTarget()));
}
using Texts = std::vector<std::string>;
BENCHMARK_CAPTURE(fix, transpose, "(32,32):(32,1)", Texts{"rows,write", "columns"}, 4)
    ->Name("access/fix_transpose");
BENCHMARK_CAPTURE(fix, largest_tile, "(128,128):(128,1)", Texts{"rows,write,vector=8", "columns"}, 2)
    ->Name("access/fix_largest_tile");
BENCHMARK_CAPTURE(fix, three, "(64,32):(32,1)",
                  Texts{"rows,vector=4,write", "((4,8),2):((128,1),64),vector=2,write", "columns"}, 4)
    ->Name("access/fix_three_accesses");
BENCHMARK_CAPTURE(fix, odd, "(32,96):(96,1)", Texts{"((12,2),8):((256,1),32),vector=8", "columns"}, 2)
    ->Name("access/fix_odd_tile");

void grid(benchmark::State& state) {
  const Grid huge{.lanes = *parse_layout("32:1"), .warps = *parse_layout("(1048576,1048576):(32,33554437)")};
  for (auto _ : state) benchmark::DoNotOptimize(count_grid(huge));
}
BENCHMARK(grid)->Name("access/grid_of_2^40_warps");

}  // namespace
}  // namespace tessera::bench
