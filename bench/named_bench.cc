// SPDX-License-Identifier: Apache-2.0
// Named layouts. Goals: named/equal <= 10 us at any size, named/sizes_* <= 1 s, named/find_names <= 5 ms.
#include <benchmark/benchmark.h>

#include <string>

#include "notation/named/sized_equality.h"
#include "tessera/notation/named_layout.h"

namespace tessera::bench {
namespace {

void equal_names(benchmark::State& state) {
  const auto a = parse_named_or_layout("scale:128x4 u8[1048576,1048576]");
  const auto b = parse_named_or_layout("scale:128x4(cols=8) u8[1048576,1048576]");
  for (auto _ : state) benchmark::DoNotOptimize(equal(*a, *b, EqualityNotion::map));
}
BENCHMARK(equal_names)->Name("named/equal");

void parse_and_equal(benchmark::State& state) {
  for (auto _ : state) {
    const auto a = parse_named_or_layout("scale:128x4 u8[1048576,1048576]");
    const auto b = parse_named_or_layout("scale:128x4(cols=8) u8[1048576,1048576]");
    benchmark::DoNotOptimize(equal(*a, *b, EqualityNotion::map));
  }
}
BENCHMARK(parse_and_equal)->Name("named/parse_and_equal");

void equal_planes(benchmark::State& state) {
  const auto a = parse_named_or_layout("gguf:q6_k u6[4096,4096]");
  const auto b = parse_named_or_layout("pack:low u6[4096,4096]");
  for (auto _ : state) benchmark::DoNotOptimize(equal(*a, *b, EqualityNotion::map));
}
BENCHMARK(equal_planes)->Name("named/equal_planes");

void sizes(benchmark::State& state, const char* other) {
  const SizedPair pair = {"scale:128x4 u8[{M},{K}]", other, {{"M", 1, 4096, 1}, {"K", 1, 64, 1}}};
  for (auto _ : state) benchmark::DoNotOptimize(equal_for_sizes(pair, EqualityNotion::map));
}
BENCHMARK_CAPTURE(sizes, cols8, "scale:128x4(cols=8) u8[{M},{K}]")
    ->Name("named/sizes_cols8")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(
    sizes, map,
    "map:(d0, d1) -> ((d0 / 128 * {cdiv(K, 4)} + d1 / 4) * 512 + d0 mod 32 * 16 + d0 mod 128 / 32 * "
    "4 + d1 mod 4), domain: d0 in [0, {M-1}], d1 in [0, {K-1}]")
    ->Name("named/sizes_map")
    ->Unit(benchmark::kMillisecond);

void find_names(benchmark::State& state, const char* text, int bits) {
  const auto layout = parse_layout(text);
  for (auto _ : state) benchmark::DoNotOptimize(names_of(*layout, bits));
}
BENCHMARK_CAPTURE(find_names, scales, "((32,4,3),(4,2)):((16,4,1024),(1,512)) crop (300,7)", 8)
    ->Name("named/find_names_scales");
BENCHMARK_CAPTURE(find_names, nibbles, "(4096,(2,4,512)):(4096,(4,1,8))", 4)
    ->Name("named/find_names_nibbles");

}  // namespace
}  // namespace tessera::bench
