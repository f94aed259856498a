// SPDX-License-Identifier: Apache-2.0
// Conversions of layouts between notations. Goals: convert/parse_and_facts_* <= 5 us, convert/xla_to_cute <=
// 5 us, convert/equal_digits <= 2 us.
#include <benchmark/benchmark.h>

#include <string_view>

#include "notation/to_digits.h"
#include "tessera/notation/conversion.h"
#include "tessera/notation/layout.h"

namespace tessera::bench {
namespace {

void parse_and_facts(benchmark::State& state, std::string_view text) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(text);
    const auto layout = parse_layout(text);
    benchmark::DoNotOptimize(layout->size() + *layout->buffer_size());
    benchmark::DoNotOptimize(layout->known_digits());
  }
}
BENCHMARK_CAPTURE(parse_and_facts, xla, "bf16[16,256]{1,0:T(8,128)(2,1)}")
    ->Name("convert/parse_and_facts_xla");
BENCHMARK_CAPTURE(parse_and_facts, cute, "((2,4,2),(128,2)):((1,256,2048),(2,1024))")
    ->Name("convert/parse_and_facts_cute");
BENCHMARK_CAPTURE(parse_and_facts, morello, "16x256:[0, 1, 0 p(4), 1 p(128), 0 p(2)]")
    ->Name("convert/parse_and_facts_morello");

void convert_to(benchmark::State& state, Notation to) {
  const auto layout = parse_layout("bf16[16,256]{1,0:T(8,128)(2,1)}");
  for (auto _ : state) benchmark::DoNotOptimize(convert(*layout, to));
}
BENCHMARK_CAPTURE(convert_to, cute, Notation::cute)->Name("convert/xla_to_cute");
BENCHMARK_CAPTURE(convert_to, linear, Notation::linear)->Name("convert/xla_to_linear");
BENCHMARK_CAPTURE(convert_to, xla, Notation::xla)->Name("convert/xla_to_xla");

void equal_digits(benchmark::State& state) {
  const auto a = parse_layout("bf16[16,256]{1,0:T(8,128)(2,1)}");
  const auto b = parse_layout("((2,4,2),(128,2)):((1,256,2048),(2,1024))");
  for (auto _ : state) benchmark::DoNotOptimize(same_map(*a, *b));
}
BENCHMARK(equal_digits)->Name("convert/equal_digits");

void offset(benchmark::State& state) {
  const auto layout = parse_layout("bf16[16,256]{1,0:T(8,128)(2,1)}");
  std::vector<Index> index = {0, 0};
  for (auto _ : state) {
    index[1] = (index[1] + 1) & 255;
    benchmark::DoNotOptimize(layout->offset(index));
  }
}
BENCHMARK(offset)->Name("convert/offset");

}  // namespace
}  // namespace tessera::bench
