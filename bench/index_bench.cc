// SPDX-License-Identifier: Apache-2.0
// Indexing whole programs. Time per instruction must not depend on the size of the text or on the number of
// paths that lead to a value.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tessera/hlo/analyze.h"
#include "tessera/hlo/module.h"

#ifndef TESSERA_SOURCE_DIR
#define TESSERA_SOURCE_DIR "."
#endif

namespace tessera {
namespace {

/// The measured program: the largest one in the optional sibling folder; if there is none, the largest
/// example.
std::string program_text() {
  namespace fs = std::filesystem;
  const fs::path root(TESSERA_SOURCE_DIR);
  for (const fs::path& path :
       {root / "../shared/hlo/gpt_j_6b-training.hlo.gz", root / "examples/hlo/transformer_block.hlo"}) {
    if (const auto source = read_file(path.string())) return std::string((*source)->text());
  }
  return "ENTRY e { p = f32[8] parameter(0) ROOT r = f32[8] negate(p) }";
}

/// `count` copies of the program in one text, one module each.
std::shared_ptr<const Source> copies(std::int64_t count) {
  static const std::string one = program_text();
  std::string text;
  for (std::int64_t i = 0; i < count; ++i) text += one + "\n// -----\n";
  return std::make_shared<const Source>(fmt::format("{} copies", count), std::move(text));
}

AnalyzeStats index_all(const ParsedModules& parsed, const AnalyzeOptions& options) {
  AnalyzeStats stats;
  for (const HloModule& module : parsed.modules) stats += analyze(module, options, {});
  return stats;
}

void report(benchmark::State& state, const AnalyzeStats& stats, std::size_t bytes) {
  const auto instructions = static_cast<double>(stats.instructions);
  state.counters["instructions"] = instructions;
  state.counters["maps"] = static_cast<double>(stats.maps);
  state.counters["text_MB"] = static_cast<double>(bytes) / 1e6;
  state.counters["s_per_instruction"] = benchmark::Counter(
      instructions, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void index_module(benchmark::State& state) {
  const auto source = copies(state.range(0));
  const ParsedModules parsed = parse_hlo(source);
  AnalyzeStats stats;
  for (auto _ : state) stats = index_all(parsed, {});
  report(state, stats, source->text().size());
}
BENCHMARK(index_module)->Name("index/module")->Arg(1)->Arg(4)->Arg(16)->Unit(benchmark::kMillisecond);

void index_inputs(benchmark::State& state) {
  const auto source = copies(state.range(0));
  const ParsedModules parsed = parse_hlo(source);
  AnalyzeStats stats;
  for (auto _ : state) stats = index_all(parsed, {.direction = IndexingDirection::input_to_output});
  report(state, stats, source->text().size());
}
BENCHMARK(index_inputs)->Name("index/input_to_output")->Arg(1)->Arg(4)->Unit(benchmark::kMillisecond);

void parse_and_index(benchmark::State& state) {
  const auto source = copies(state.range(0));
  AnalyzeStats stats;
  for (auto _ : state) stats = index_all(parse_hlo(source), {});
  report(state, stats, source->text().size());
}
BENCHMARK(parse_and_index)
    ->Name("index/parse_and_index")
    ->Arg(1)
    ->Arg(4)
    ->Arg(16)
    ->Unit(benchmark::kMillisecond);

/// The files of every program in the optional sibling folder; if there are none, of every example.
std::vector<std::filesystem::path> program_files() {
  namespace fs = std::filesystem;
  const fs::path root(TESSERA_SOURCE_DIR);
  std::vector<fs::path> files;
  for (const fs::path& folder : {root / "../shared/hlo", root / "examples/hlo"}) {
    if (!files.empty() || !fs::exists(folder)) continue;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".gz" || entry.path().extension() == ".hlo") files.push_back(entry);
    }
  }
  std::ranges::sort(files);
  return files;
}

std::vector<ParsedModules> all_programs() {
  std::vector<ParsedModules> programs;
  for (const auto& file : program_files()) {
    if (const auto source = read_file(file.string())) programs.push_back(parse_hlo(*source));
  }
  return programs;
}

// Each program alone, in both directions: index/program/NAME/out and index/program/NAME/in.
[[maybe_unused]] const bool kProgramsAreRegistered = [] {
  for (const auto& file : program_files()) {
    for (const bool forward : {false, true}) {
      const std::string name = file.filename().string();
      const std::string title =
          fmt::format("index/program/{}/{}", name.substr(0, name.find(".hlo")), forward ? "in" : "out");
      benchmark::RegisterBenchmark(title.c_str(), [file, forward](benchmark::State& state) {
        const auto source = read_file(file.string());
        if (!source) return state.SkipWithError("the file cannot be read");
        const ParsedModules parsed = parse_hlo(*source);
        const auto direction =
            forward ? IndexingDirection::input_to_output : IndexingDirection::output_to_input;
        AnalyzeStats stats;
        for (auto _ : state) stats = index_all(parsed, {.direction = direction});
        report(state, stats, (*source)->text().size());
      })->Unit(benchmark::kMillisecond);
    }
  }
  return true;
}();

// `tessera hlo --threads N` on all programs in turn. The time is wall time. The CPU column adds up all
// threads, so it shows wasted work even on busy cores.
void index_threads(benchmark::State& state) {
  static const std::vector<ParsedModules> programs = all_programs();
  AnalyzeStats stats;
  std::size_t bytes = 0;
  for (auto _ : state) {
    stats = {};
    bytes = 0;
    for (const ParsedModules& parsed : programs) {
      stats += index_all(parsed, {.threads = static_cast<std::size_t>(state.range(0))});
      bytes += parsed.source->text().size();
    }
  }
  report(state, stats, bytes);
}
BENCHMARK(index_threads)
    ->Name("index/threads")
    ->RangeMultiplier(2)
    ->Range(1, 16)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

/// A tower of sums of neighbors: 2^levels paths to levels + 1 elements.
void walk_diamonds(benchmark::State& state) {
  std::string text = "ENTRY e {\n  v0 = f32[1000] parameter(0)\n";
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    const std::int64_t n = 1000 - i;
    text += fmt::format(
        "  a{0} = f32[{2}] slice(v{0}), slice={{[0:{2}]}}\n  b{0} = f32[{2}] slice(v{0}), "
        "slice={{[1:{1}]}}\n  v{3} = f32[{2}] add(a{0}, b{0})\n",
        i, n, n - 1, i + 1);
  }
  text += "}\n";
  const ParsedModules parsed = parse_hlo(text);
  const Instruction* root = parsed.modules.at(0).entry->root;
  std::size_t maps = 0;
  for (auto _ : state) {
    ProgramIndexing program;
    maps = program.grouped({.value = {root, 0}})->back().maps.size();
  }
  state.counters["maps"] = static_cast<double>(maps);
}
BENCHMARK(walk_diamonds)->Name("index/diamonds")->Arg(10)->Arg(20)->Arg(40)->Unit(benchmark::kMicrosecond);

/// One fused computation with many calls, which must be walked only once.
void walk_calls(benchmark::State& state) {
  std::string text = "f {\n  p = f32[64,64] parameter(0)\n  v0 = f32[64,64] negate(p)\n";
  for (int i = 0; i < 40; ++i) {
    text += fmt::format("  v{} = f32[64,64] transpose(v{}), dimensions={{1,0}}\n", i + 1, i);
  }
  text += "}\nENTRY e {\n  c0 = f32[64,64] parameter(0)\n";
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    text += fmt::format("  c{} = f32[64,64] fusion(c{}), kind=kLoop, calls=f\n", i + 1, i);
  }
  text += "}\n";
  const ParsedModules parsed = parse_hlo(text);
  for (auto _ : state) {
    benchmark::DoNotOptimize(analyze(parsed.modules.at(0), {.fused = true}, {}));
  }
  state.counters["s_per_call"] =
      benchmark::Counter(static_cast<double>(state.range(0)),
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(walk_calls)->Name("index/calls")->Arg(1)->Arg(16)->Arg(256)->Unit(benchmark::kMicrosecond);

/// Reshapes to random factors, each followed by a random transpose, in one fusion.
void walk_moves(benchmark::State& state) {
  std::mt19937_64 random(20240607);
  const std::int64_t elements = state.range(1);
  std::string text = fmt::format("f {{\n  v0 = f32[{}] parameter(0)\n", elements);
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    std::vector<std::int64_t> dims(2 + random() % 3, 1);
    std::int64_t rest = elements;
    for (std::int64_t p = 2; rest > 1; ++p) {
      for (; rest % p == 0; rest /= p) dims[random() % dims.size()] *= p;
    }
    std::vector<std::int64_t> order(dims.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::shuffle(order, random);
    std::vector<std::int64_t> moved;
    for (const std::int64_t d : order) moved.push_back(dims[static_cast<std::size_t>(d)]);
    text += fmt::format(
        "  r{0} = f32[{1}] reshape(v{0})\n  v{2} = f32[{3}] transpose(r{0}), dimensions={{{4}}}\n", i,
        fmt::join(dims, ","), i + 1, fmt::join(moved, ","), fmt::join(order, ","));
  }
  text += fmt::format("  ROOT y = f32[{0}] reshape(v{1})\n}}\nENTRY e {{\n  p = f32[{0}] parameter(0)\n",
                      elements, state.range(0));
  text += fmt::format("  ROOT q = f32[{}] fusion(p), kind=kLoop, calls=f\n}}\n", elements);
  const ParsedModules parsed = parse_hlo(text);
  const Instruction* fusion = parsed.modules.at(0).entry->root;
  bool exact = false;
  for (auto _ : state) {
    ProgramIndexing program;
    exact = exactness((*program.reads_of_output(*fusion, 0))[0].maps) == Exactness::exact;
  }
  state.counters["exact"] = exact ? 1 : 0;
}
BENCHMARK(walk_moves)
    ->Name("index/moves")
    ->ArgsProduct({{1, 3, 10, 30, 100, 300}, {1 << 20, 5040}})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace tessera
