// SPDX-License-Identifier: Apache-2.0
// Copies of codes between named layouts, in memory, on one core. Bytes per second are those of the
// destination. Goals: codes/awq_to_marlin and codes/gptq_to_marlin >= 400 MB/s, codes/linear_to_128x4 >= 1
// GB/s.
#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "tessera/notation/named_layout.h"
#include "transfer/code_mover.h"

namespace tessera::bench {
namespace {

void codes(benchmark::State& state, const char* from, const char* to) {
  const auto mover =
      CodeMover::make(*code_side(*parse_named_layout(from)), *code_side(*parse_named_layout(to)));
  std::vector<std::byte> src(static_cast<std::size_t>(*mover->from().bytes()), std::byte{0x5a});
  std::vector<std::byte> dst(static_cast<std::size_t>(*mover->to().bytes()));
  for (auto _ : state) {
    benchmark::DoNotOptimize(move_codes(*mover, src, dst));
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * std::ssize(dst));
}
BENCHMARK_CAPTURE(codes, awq, "pack:awq u4[4096,4096]", "pack:marlin u4[4096,4096]")
    ->Name("codes/awq_to_marlin");
BENCHMARK_CAPTURE(codes, awq_large, "pack:awq u4[8192,28672]", "pack:marlin u4[8192,28672]")
    ->Name("codes/awq_to_marlin_112_mib");
BENCHMARK_CAPTURE(codes, gptq, "pack:gptq u4[4096,4096]", "pack:marlin u4[4096,4096]")
    ->Name("codes/gptq_to_marlin");
BENCHMARK_CAPTURE(codes, tiles, "scale:linear u8[65536,512]", "scale:128x4 u8[65536,512]")
    ->Name("codes/linear_to_128x4");
BENCHMARK_CAPTURE(codes, q4_k, "gguf:q4_k u4[4096,4096]", "pack:low u8[4096,4096]")
    ->Name("codes/q4_k_to_bytes");
BENCHMARK_CAPTURE(codes, q6_k, "gguf:q6_k u6[4096,4096]", "pack:low u8[4096,4096]")
    ->Name("codes/q6_k_to_bytes");
BENCHMARK_CAPTURE(codes, gptq3, "pack:gptq u3[4096,4096]", "pack:low(row=32) u3[4096,4096]")
    ->Name("codes/gptq_3_bits_to_low");

}  // namespace
}  // namespace tessera::bench
