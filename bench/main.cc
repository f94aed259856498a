// SPDX-License-Identifier: Apache-2.0
// tessera-bench: tables and benchmarks by name, and copies between layouts.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "relayout_bench.h"
#include "table.h"

namespace {

constexpr const char* kUsage =
    "tessera-bench relayout [--help]    copies between layouts against memcpy and other libraries\n"
    "tessera-bench [--filter TEXT]      the tables whose name contains TEXT, then the benchmarks that "
    "match:\n"
    "                                   algebra, convert, index, parse, print, simplify, small\n"
    "  --benchmark_list_tests, --benchmark_...    options of Google Benchmark\n";

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && argv[1] == std::string("relayout"))
    return tessera::bench::relayout_main(argc - 1, argv + 1);
  std::vector<std::string> arguments{argv[0]};
  std::string filter;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--help" || argument == "-h") {
      std::fputs(kUsage, stdout);
      return 0;
    }
    if (argument == "--filter" && i + 1 < argc) {
      filter = argv[++i];
    } else if (argument.starts_with("--filter=")) {
      filter = argument.substr(std::strlen("--filter="));
    } else {
      arguments.push_back(argument);
    }
  }
  if (!filter.empty()) arguments.push_back("--benchmark_filter=" + filter);
  for (const auto& table : tessera::bench::tables()) {
    if (table.name.find(filter) != std::string::npos) table.print();
  }
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  int count = static_cast<int>(pointers.size());
  benchmark::Initialize(&count, pointers.data());
  if (benchmark::ReportUnrecognizedArguments(count, pointers.data())) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
