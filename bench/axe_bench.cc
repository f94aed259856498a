// SPDX-License-Identifier: Apache-2.0
// Axe layouts. Goals: axe/read, axe/canonical, axe/equal_* <= 5 us; axe/tv_* <= 1 ms.
#include <benchmark/benchmark.h>

#include <string_view>

#include "tessera/notation/axe.h"

namespace tessera::bench {
namespace {

constexpr std::string_view kFragment =
    "axe:8x16:S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid] + 5@warpid";

void read(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(parse_axe(kFragment));
}
BENCHMARK(read)->Name("axe/read");

void canonical_form(benchmark::State& state) {
  const auto layout = parse_axe("S[(8,8,1,8,4,2):(512,64,160,8,2,1)] + R[(2,2):(4,8)]");
  for (auto _ : state) benchmark::DoNotOptimize(canonical(*layout));
}
BENCHMARK(canonical_form)->Name("axe/canonical");

void equality(benchmark::State& state, std::string_view a, std::string_view b) {
  const auto one = parse_axe(a);
  const auto other = parse_axe(b);
  for (auto _ : state) benchmark::DoNotOptimize(equal(*one, *other));
}
BENCHMARK_CAPTURE(equality, yes, "S[(2,8):(1@warpid,1@laneid)] + R[2:2@warpid]",
                  "S[(2,8):(32@tx,1@tx)] + R[2:64@tx]")
    ->Name("axe/equal_yes");
BENCHMARK_CAPTURE(equality, large, "S[(1048576,1048576):(1048576,1)]",
                  "axe:1048576x1048576:S[1099511627776:1]")
    ->Name("axe/equal_large");

void places_of_index(benchmark::State& state) {
  const auto placed = placement(*parse_axe(kFragment));
  const std::vector<Index> index = {7, 15};
  for (auto _ : state) benchmark::DoNotOptimize(places(*placed, index));
}
BENCHMARK(places_of_index)->Name("axe/places");

void to_thread_value(benchmark::State& state, std::string_view text) {
  const auto layout = parse_axe(text);
  for (auto _ : state) benchmark::DoNotOptimize(thread_value(*layout));
}
BENCHMARK_CAPTURE(to_thread_value, nested, "axe:64x64:S[(4,2,8,8,4,2):(1@warpid,2,4@laneid,4,1@laneid,1)]")
    ->Name("axe/tv_4096_nested");
BENCHMARK_CAPTURE(to_thread_value, listed, "axe:64x64:S[(64,64):(1@tx,1)] + R[(2,2):(64@tx,64@tx)]")
    ->Name("axe/tv_4096_listed");

}  // namespace
}  // namespace tessera::bench
