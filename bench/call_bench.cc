// SPDX-License-Identifier: Apache-2.0
// Indexing of call-heavy programs. Time must be linear in the number of calls, and in the number of operands
// of a fusion.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <random>
#include <string>
#include <vector>

#include "tessera/hlo/analyze.h"
#include "tessera/hlo/module.h"

namespace tessera {
namespace {

/// Calls of 50 computations, nested three deep: rolls and selections at the bottom, stencils of these above,
/// and one computation over tuples of 100 arrays.
class CallProgram {
 public:
  explicit CallProgram(std::int64_t extent) : extent_(extent), type_(fmt::format("f32[{0},{0}]", extent)) {}

  std::string write(std::int64_t calls) {
    std::vector<Callee> bottom;
    for (int i = 0; i < 25; ++i) bottom.push_back(i % 3 < 2 ? roll(i) : selection(i));
    std::vector<Callee> all = bottom;
    std::vector<Callee> middle;
    for (int i = 0; i < 16; ++i) middle.push_back(stencil(fmt::format("middle{}", i), bottom, 6));
    all.insert(all.end(), middle.begin(), middle.end());
    for (int i = 0; i < 8; ++i) all.push_back(stencil(fmt::format("top{}", i), middle, 4));
    wide();
    entry(calls, all);
    return text_;
  }

 private:
  struct Callee {
    std::string name;
    int parameters;
  };
  static constexpr int kWidth = 100;

  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }

  Callee roll(int number) {
    const std::string name = fmt::format("roll{}", number);
    const std::int64_t by = 1 + number % 3;
    const bool rows = number % 2 == 0;
    const auto part = [&](std::int64_t first, std::int64_t last) {
      return rows ? fmt::format("f32[{},{}] slice(x), slice={{[{}:{}],[0:{}]}}", last - first, extent_, first,
                                last, extent_)
                  : fmt::format("f32[{},{}] slice(x), slice={{[0:{}],[{}:{}]}}", extent_, last - first,
                                extent_, first, last);
    };
    text_ += fmt::format(
        "{} {{\n  x = {} parameter(0)\n  a = {}\n  b = {}\n  ROOT r = {} concatenate(a, b), "
        "dimensions={{{}}}\n}}\n",
        name, type_, part(by, extent_), part(0, by), type_, rows ? 0 : 1);
    return {name, 1};
  }

  Callee selection(int number) {
    const std::string name = fmt::format("selection{}", number);
    text_ += fmt::format(
        "{0} {{\n  x = {1} parameter(0)\n  y = {1} parameter(1)\n  c = pred[{2},{2}] compare(x, y), "
        "direction=LT\n"
        "  s = {1} select(c, x, y)\n  t = {1} transpose(s), dimensions={{1,0}}\n  ROOT r = {1} add(t, "
        "x)\n}}\n",
        name, type_, extent_);
    return {name, 2};
  }

  Callee stencil(const std::string& name, const std::vector<Callee>& callees, int steps) {
    text_ += fmt::format("{0} {{\n  x = {1} parameter(0)\n  y = {1} parameter(1)\n", name, type_);
    std::vector<std::string> values{"x", "y"};
    for (int i = 0; i < steps; ++i) {
      const Callee& callee = callees[below(callees.size())];
      std::vector<std::string> arguments;
      for (int k = 0; k < callee.parameters; ++k) arguments.push_back(values[values.size() - 1 - below(2)]);
      text_ += fmt::format("  c{0} = {1} call({2}), to_apply={3}\n  d{0} = {1} subtract(c{0}, {4})\n", i,
                           type_, fmt::join(arguments, ", "), callee.name, values[below(values.size())]);
      values.push_back(fmt::format("{}{}", below(2) == 0 ? "c" : "d", i));
    }
    text_ += fmt::format("  ROOT r = {} add({}, x)\n}}\n", type_, values.back());
    return {name, 2};
  }

  std::string tuple_type() const {
    return fmt::format("({})", fmt::join(std::vector<std::string>(kWidth, type_), ","));
  }

  void wide() {
    text_ += fmt::format("wide {{\n  s = {} parameter(0)\n", tuple_type());
    std::vector<std::string> results;
    for (int i = 0; i < kWidth; ++i) {
      text_ += fmt::format("  g{0} = {1} get-tuple-element(s), index={0}\n  h{0} = {1} add(g{0}, g{0})\n", i,
                           type_);
      results.push_back(fmt::format("h{}", i));
    }
    text_ += fmt::format("  ROOT r = {} tuple({})\n}}\n", tuple_type(), fmt::join(results, ","));
  }

  void entry(std::int64_t calls, const std::vector<Callee>& callees) {
    text_ += "ENTRY e {\n";
    std::vector<std::string> values;
    for (int i = 0; i < 10; ++i) {
      text_ += fmt::format("  p{0} = {1} parameter({0})\n", i, type_);
      values.push_back(fmt::format("p{}", i));
    }
    const auto recent = [&] {
      return values[values.size() - 1 - below(std::min<std::size_t>(30, values.size()))];
    };
    for (std::int64_t i = 0; i < calls; ++i) {
      if (i % 20 == 19) {
        std::vector<std::string> elements;
        for (int k = 0; k < kWidth; ++k) elements.push_back(recent());
        text_ += fmt::format(
            "  t{0} = {1} tuple({2})\n  w{0} = {1} call(t{0}), to_apply=wide\n  v{0} = {3} "
            "get-tuple-element(w{0}), "
            "index={4}\n",
            i, tuple_type(), fmt::join(elements, ","), type_, below(kWidth));
      } else {
        const Callee& callee = callees[below(callees.size())];
        std::vector<std::string> arguments;
        for (int k = 0; k < callee.parameters; ++k) arguments.push_back(recent());
        text_ += fmt::format("  v{} = {} call({}), to_apply={}\n", i, type_, fmt::join(arguments, ", "),
                             callee.name);
      }
      values.push_back(fmt::format("v{}", i));
      for (int k = 0; k < 10; ++k)
        text_ += fmt::format("  e{}_{} = {} add({}, {})\n", i, k, type_, recent(), recent());
    }
    text_ += fmt::format("  ROOT r = {} negate({})\n}}\n", type_, values.back());
  }

  std::mt19937_64 random_{20240607};
  std::int64_t extent_;
  std::string type_;
  std::string text_;
};

void index_and_report(benchmark::State& state, const std::string& text, IndexingDirection direction) {
  const ParsedModules parsed = parse_hlo(text);
  AnalyzeStats stats;
  for (auto _ : state) stats = analyze(parsed.modules.at(0), {.direction = direction}, {});
  const auto instructions = static_cast<double>(stats.instructions);
  state.counters["instructions"] = instructions;
  state.counters["maps"] = static_cast<double>(stats.maps);
  state.counters["s_per_instruction"] = benchmark::Counter(
      instructions, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

/// Uses small arrays: their maps are the most similar, because their relations have few points.
void call_heavy(benchmark::State& state) {
  index_and_report(
      state, CallProgram(state.range(1)).write(state.range(0)),
      state.range(2) == 0 ? IndexingDirection::output_to_input : IndexingDirection::input_to_output);
}
BENCHMARK(call_heavy)
    ->Name("index/call_heavy")
    ->ArgNames({"calls", "extent", "inputs"})
    ->ArgsProduct({{250, 500, 1000}, {8, 64}, {0, 1}})
    ->Unit(benchmark::kMillisecond);

/// One fusion that adds n operands, indexed from each operand to the result.
void fusion_of_operands(benchmark::State& state) {
  std::string text = "f {\n  p0 = f32[64,64] parameter(0)\n  v0 = f32[64,64] negate(p0)\n";
  std::string parameters = "  p0 = f32[64,64] parameter(0)\n";
  std::vector<std::string> operands{"p0"};
  for (std::int64_t i = 1; i < state.range(0); ++i) {
    text += fmt::format(
        "  p{0} = f32[64,64] parameter({0})\n  t{0} = f32[64,64] transpose(p{0}), dimensions={{1,0}}\n  v{0} "
        "= "
        "f32[64,64] add(v{1}, t{0})\n",
        i, i - 1);
    parameters += fmt::format("  p{0} = f32[64,64] parameter({0})\n", i);
    operands.push_back(fmt::format("p{}", i));
  }
  text += fmt::format("}}\nENTRY e {{\n{}  ROOT r = f32[64,64] fusion({}), kind=kLoop, calls=f\n}}\n",
                      parameters, fmt::join(operands, ", "));
  index_and_report(state, text, IndexingDirection::input_to_output);
}
BENCHMARK(fusion_of_operands)
    ->Name("index/fusion_of_operands")
    ->Arg(10)
    ->Arg(100)
    ->Arg(1000)
    ->Arg(4000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tessera
