// SPDX-License-Identifier: Apache-2.0
// Parsing of HLO text: bytes per second, and heap per byte of text, for 1, 4 and 16 copies of a real program.
// tessera-bench --filter parse --benchmark_repetitions=9 --benchmark_report_aggregates_only=true
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <filesystem>
#include <memory>
#include <string>

#include "hlo/syntax/printer.h"
#include "tessera/hlo/module.h"

namespace {

namespace fs = std::filesystem;

// The largest program in the optional sibling folder; if there is none, the largest example.
fs::path program() {
  const fs::path root = TESSERA_SOURCE_DIR;
  fs::path real = root / "../shared/hlo/gpt_j_6b-training.hlo.gz";
  if (fs::exists(real)) return real;
  fs::path largest;
  for (const auto& entry : fs::directory_iterator(root / "examples/hlo")) {
    if (largest.empty() || entry.file_size() > fs::file_size(largest)) largest = entry.path();
  }
  return largest;
}

std::shared_ptr<const tessera::Source> copies(std::int64_t count) {
  const auto source = tessera::read_file(program().string());
  if (!source) return nullptr;
  std::string text;
  for (std::int64_t i = 0; i < count; ++i) text += std::string((*source)->text()) + "\n// -----\n";
  return std::make_shared<const tessera::Source>("program", std::move(text));
}

std::size_t heap_bytes() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

void parse(benchmark::State& state, bool verify) {
  const auto source = copies(state.range(0));
  if (!source) return state.SkipWithError("no program to read");
  std::size_t instructions = 0;
  std::size_t heap = 0;
  for (auto _ : state) {
    const std::size_t before = heap_bytes();
    tessera::ParsedModules parsed = tessera::parse_hlo(source, {.verify = verify});
    if (!parsed.ok()) return state.SkipWithError("the program has errors");
    state.PauseTiming();  // do not time freeing
    heap = heap_bytes() - before;
    instructions = 0;
    for (const auto& module : parsed.modules) instructions += module.instruction_count();
    parsed = {};
    state.ResumeTiming();
  }
  const auto bytes = static_cast<std::int64_t>(source->text().size());
  state.SetBytesProcessed(state.iterations() * bytes);
  state.counters["instructions"] = static_cast<double>(instructions);
  state.counters["heap_per_text"] = static_cast<double>(heap) / static_cast<double>(bytes);
}

void parse_verified(benchmark::State& state) { parse(state, true); }
void parse_only(benchmark::State& state) { parse(state, false); }

void print(benchmark::State& state) {
  const auto source = copies(1);
  if (!source) return state.SkipWithError("no program to read");
  const tessera::ParsedModules parsed = tessera::parse_hlo(source);
  std::size_t bytes = 0;
  for (auto _ : state) {
    const std::string text = tessera::to_string(std::span<const tessera::HloModule>(parsed.modules));
    bytes += text.size();
    benchmark::DoNotOptimize(text.data());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}

BENCHMARK(parse_verified)->Name("parse_hlo")->Arg(1)->Arg(4)->Arg(16)->Unit(benchmark::kMillisecond);
BENCHMARK(parse_only)
    ->Name("parse_hlo_without_checks")
    ->Arg(1)
    ->Arg(4)
    ->Arg(16)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(print)->Name("print_hlo")->Unit(benchmark::kMillisecond);

}  // namespace
