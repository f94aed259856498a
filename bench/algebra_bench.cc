// SPDX-License-Identifier: Apache-2.0
// Layout algebra at run time. Goals: algebra/parse_and_facts <= 5 us, algebra/composition_rank4 <= 0.3 us.
// bench/compile_time.py measures the compile time of static layouts.
#include <benchmark/benchmark.h>

#include <string_view>

#include "tessera/algebra/composed_layout.h"
#include "tessera/algebra/detail/equality.h"
#include "tessera/notation/cute.h"

namespace tessera::bench {

using namespace tessera::detail;  // NOLINT(google-build-using-namespace): the layout algebra
namespace {

StridedLayout layout_of(std::string_view text) { return parse_cute_layout(text)->layout; }

void parse_and_facts(benchmark::State& state) {
  std::string_view text = "((4,8),(2,(2,4))):((32,1),(16,(8,128)))";
  for (auto _ : state) {
    benchmark::DoNotOptimize(text);
    const auto parsed = parse_cute_layout(text);
    const StridedLayout& l = parsed->layout;
    benchmark::DoNotOptimize(l.size() + *detail::cosize(l) + l.rank() + depth(l) + (is_bijective(l) ? 1 : 0));
  }
}
BENCHMARK(parse_and_facts)->Name("algebra/parse_and_facts");

void print(benchmark::State& state) {
  const StridedLayout l = layout_of("((4,8),(2,(2,4))):((32,1),(16,(8,128)))");
  for (auto _ : state) benchmark::DoNotOptimize(to_string(l));
}
BENCHMARK(print)->Name("algebra/print");

void evaluate_1d(benchmark::State& state) {
  StridedLayout l = layout_of("(4,8,2,8):(32,1,16,128)");
  Index i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(l);
    benchmark::DoNotOptimize(l(i++ & 511));
  }
}
BENCHMARK(evaluate_1d)->Name("algebra/evaluate_rank4");

// Pairs of layouts of rank 4 whose leaves split, skip modes, or match. The optimizer cannot see the values.
void composition_rank4(benchmark::State& state) {
  StridedLayout a = layout_of("(4,8,2,16):(256,16,128,1)");
  StridedLayout b = layout_of("(2,4,8,4):(2,4,16,256)");
  if (!composition(a, b)) return state.SkipWithError("does not compose");
  for (auto _ : state) {
    benchmark::DoNotOptimize(a);
    benchmark::DoNotOptimize(b);
    benchmark::DoNotOptimize(composition(a, b));
  }
}
BENCHMARK(composition_rank4)->Name("algebra/composition_rank4");

void composition_refused(benchmark::State& state) {
  StridedLayout a = layout_of("(4,6,8):(2,3,5)");
  StridedLayout b = layout_of("6:3");
  for (auto _ : state) {
    benchmark::DoNotOptimize(a);
    benchmark::DoNotOptimize(composition(a, b));
  }
}
BENCHMARK(composition_refused)->Name("algebra/composition_refused");

void zipped_divide_by_mode(benchmark::State& state) {
  StridedLayout a = layout_of("(128,64):(64,1)");
  const Tiler t = parse_cute_tiler("<16,8>")->tiler;
  for (auto _ : state) {
    benchmark::DoNotOptimize(a);
    benchmark::DoNotOptimize(zipped_divide(a, t));
  }
}
BENCHMARK(zipped_divide_by_mode)->Name("algebra/zipped_divide");

void right_inverse_rank4(benchmark::State& state) {
  StridedLayout a = layout_of("(4,8,2,16):(256,16,128,1)");
  for (auto _ : state) {
    benchmark::DoNotOptimize(a);
    benchmark::DoNotOptimize(detail::right_inverse(a));
  }
}
BENCHMARK(right_inverse_rank4)->Name("algebra/right_inverse_rank4");

void equality(benchmark::State& state) {
  StridedLayout a = layout_of("((4,8),(2,(2,4))):((32,1),(16,(8,128)))");
  StridedLayout b = coalesce(a);
  for (auto _ : state) {
    benchmark::DoNotOptimize(a);
    benchmark::DoNotOptimize(b);
    benchmark::DoNotOptimize(equal_function(a, b));
  }
}
BENCHMARK(equality)->Name("algebra/equal_function");

}  // namespace
}  // namespace tessera::bench
