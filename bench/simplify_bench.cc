// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include <array>
#include <fstream>
#include <optional>

#include "laws/random_chains.h"
#include "table.h"
#include "tessera/map/map_algebra.h"
#include "tessera/text/index_map.h"

namespace tessera::bench {
namespace {

constexpr std::uint64_t kSeed = 20240607;

// The number of nodes in the results' trees, including leaves, by which the goals classify maps.
std::uint64_t tree_nodes(const IndexMap& map) {
  std::uint64_t nodes = 0;
  for (const Expr e : map.results()) nodes += 2 * std::uint64_t{e.node_count()} + 1;
  return nodes;
}

std::vector<IndexMap> generated_maps() {
  std::mt19937_64 random(kSeed);
  std::vector<IndexMap> maps;
  while (maps.size() < 1000) {
    const auto length = static_cast<int>(testing_chains::pick(random, 1, 4));
    maps.push_back(testing_chains::compose_all(testing_chains::random_chain(random, length)));
    if (maps.back().known_empty()) maps.pop_back();
  }
  return maps;
}

// The "in" texts of a file with one JSON object per line; map texts need no unescaping.
std::vector<IndexMap> maps_of_file(const std::string& path) {
  std::ifstream file(path);
  std::vector<IndexMap> maps;
  for (std::string line; std::getline(file, line);) {
    constexpr std::string_view kKey = "\"in\":\"";
    const auto start = line.find(kKey);
    if (start == std::string::npos) continue;
    const auto end = line.find('"', start + kKey.size());
    if (auto map = parse_index_map(line.substr(start + kKey.size(), end - start - kKey.size()))) {
      maps.push_back(*std::move(map));
    }
  }
  return maps;
}

void print_classes(const std::string& title, const std::vector<IndexMap>& maps) {
  constexpr std::array<std::uint64_t, 4> kLimits = {20, 60, 200, UINT64_MAX};
  constexpr std::array<const char*, 4> kNames = {"<= 20", "<= 60", "<= 200", "> 200"};
  std::array<std::vector<double>, 4> classes;
  std::vector<double> all;
  for (const IndexMap& map : maps) {
    const double time = median_time_us(51, [&] { benchmark::DoNotOptimize(simplify(map)); });
    const auto nodes = tree_nodes(map);
    const auto at = std::ranges::find_if(kLimits, [&](std::uint64_t limit) { return nodes <= limit; });
    classes[static_cast<std::size_t>(at - kLimits.begin())].push_back(time);
    all.push_back(time);
  }
  fmt::print("{}: {} maps, median of 51 calls each, one warm core, us\n", title, maps.size());
  fmt::print("  {:>10} {:>6} {:>9} {:>9}\n", "nodes", "maps", "median", "p99");
  for (std::size_t i = 0; i < classes.size(); ++i) {
    fmt::print("  {:>10} {:>6} {:>9.2f} {:>9.2f}\n", kNames[i], classes[i].size(), quantile(classes[i], 0.5),
               quantile(classes[i], 0.99));
  }
  fmt::print("  {:>10} {:>6} {:>9.2f} {:>9.2f}\n", "all", all.size(), quantile(all, 0.5),
             quantile(all, 0.99));
}

// k transposes and reshapes of one tensor, composed without simplification. The tree grows exponentially with
// k, the number of distinct nodes linearly.
IndexMap transpose_reshape_chain(int length) {
  std::vector<IndexMap> steps;
  constexpr std::array<std::array<Index, 3>, 2> kShapes = {{{24, 30, 28}, {28, 36, 20}}};
  for (int i = 0; i < length; ++i) {
    const auto& shape = kShapes[static_cast<std::size_t>(i % 2)];
    const auto& reshaped = kShapes[static_cast<std::size_t>((i + 1) % 2)];
    const testing_chains::Extents current(shape.begin(), shape.end());
    const testing_chains::Extents turned = {current[2], current[0], current[1]};
    const Expr results[] = {Expr::variable(2), Expr::variable(0), Expr::variable(1)};
    steps.push_back(IndexMap::make_unchecked(Domain::box(current), {results, results + 3}));
    const testing_chains::Extents next(reshaped.begin(), reshaped.end());
    steps.push_back(testing_chains::reshape_to(turned, next, true).map);
  }
  return testing_chains::compose_all(steps);
}

std::size_t distinct_nodes(const IndexMap& map) {
  std::vector<const void*> seen;
  const auto visit = [&](const auto& self, Expr e) -> void {
    if (std::ranges::find(seen, e.id()) != seen.end()) return;
    seen.push_back(e.id());
    if (e.is_binary()) {
      self(self, e.lhs());
      self(self, e.rhs());
    }
  };
  for (const Expr e : map.results()) visit(visit, e);
  for (const Constraint& c : map.constraints()) visit(visit, c.expr);
  return seen.size();
}

void print_chains() {
  fmt::print("k times transpose and reshape in one map, median of 201 calls, us\n");
  fmt::print("  {:>2} {:>12} {:>15} {:>9} {:>14}\n", "k", "tree nodes", "distinct nodes", "time",
             "per distinct");
  for (int k = 1; k <= 7; ++k) {
    const IndexMap map = transpose_reshape_chain(k);
    const double time = median_time_us(201, [&] { benchmark::DoNotOptimize(simplify(map)); });
    const auto nodes = distinct_nodes(map);
    fmt::print("  {:>2} {:>12} {:>15} {:>9.2f} {:>14.3f}\n", k, tree_nodes(map), nodes, time,
               time / static_cast<double>(nodes));
  }
}

void print_simplify() {
  print_classes(fmt::format("generated maps (seed {})", kSeed), generated_maps());
  const auto given =
      maps_of_file(std::string(TESSERA_SOURCE_DIR) + "/../shared/vectors/indexing-random/maps.jsonl");
  if (!given.empty()) print_classes("maps of ../shared", given);
  print_chains();
}

const RegisterTable kTable("simplify", print_simplify);

void simplify_chain(benchmark::State& state) {
  const IndexMap map = transpose_reshape_chain(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(simplify(map));
  state.counters["distinct_nodes"] = static_cast<double>(distinct_nodes(map));
}
BENCHMARK(simplify_chain)->DenseRange(1, 7)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace tessera::bench
