// SPDX-License-Identifier: Apache-2.0
// The header of a GGUF file with 1000 tensors and a vocabulary of 250,000 strings. Goal: gguf/header and
// gguf/info together <= 50 ms.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <fstream>

#include "files/gguf.h"
#include "files/gguf_bytes.h"
#include "report/file_info.h"
#include "tessera/files/tensor_file.h"

namespace tessera::bench {
namespace {

const std::string& model() {
  static const std::string file = testing_files::model_file(250'000, 1000);
  return file;
}

void header(benchmark::State& state) {
  const auto bytes = std::as_bytes(std::span(model()));
  for (auto _ : state) benchmark::DoNotOptimize(parse_gguf_header(bytes));
}
BENCHMARK(header)->Name("gguf/header")->Unit(benchmark::kMillisecond);

void info(benchmark::State& state) {
  const std::string path = "tessera-bench-model.gguf";
  std::ofstream(path, std::ios::binary) << model();
  for (auto _ : state) benchmark::DoNotOptimize(to_text(path, *list_tensors(path, Content::gguf)));
  std::remove(path.c_str());
}
BENCHMARK(info)->Name("gguf/info")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tessera::bench
