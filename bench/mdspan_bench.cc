// SPDX-License-Identifier: Apache-2.0
// Loops over arrays through the mappings of mdspan, compared with the same loops with a hand-written offset.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

#include "tessera/algebra/mdspan.h"

namespace tessera {
namespace {

// The interface of std::extents with all extents dynamic, for standard libraries before C++23.
struct MatrixExtents {
  using index_type = int;
  using size_type = unsigned;
  using rank_type = std::size_t;
  int values[2] = {};

  constexpr MatrixExtents() = default;
  constexpr MatrixExtents(int rows, int columns) : values{rows, columns} {}
  static constexpr rank_type rank() { return 2; }
  constexpr index_type extent(rank_type r) const { return values[r]; }
  friend constexpr bool operator==(const MatrixExtents&, const MatrixExtents&) = default;
};

constexpr int kRows = 256;
constexpr int kColumns = 1024;

// f32[256,1024]{1,0:T(8,128)}.
using TiledMapping = layout_tessera<"((8,32),(128,8)):((128,8192),(1,1024))"_layout>::mapping<MatrixExtents>;
// The rows of the same matrix, with a swizzle.
using SwizzledMapping =
    layout_tessera<"(256,1024):(1024,1)"_layout, Swizzle{3, 4, 6}>::mapping<MatrixExtents>;

struct TiledByHand {
  int operator()(int i, int j) const {
    const auto r = static_cast<unsigned>(i);
    const auto c = static_cast<unsigned>(j);
    return static_cast<int>(r / 8 * 8192 + r % 8 * 128 + c / 128 * 1024 + c % 128);
  }
};
struct SwizzledByHand {
  int operator()(int i, int j) const {
    const auto at = static_cast<unsigned>(i) * 1024 + static_cast<unsigned>(j);
    return static_cast<int>(at ^ (at >> 6 & 0x70));
  }
};

// Row by row, as written by a user who does not know about tiles.
template <class Map>
void by_rows(const Map& map, const float* in, float* out) {
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kColumns; ++j) out[map(i, j)] = in[map(i, j)] * 2 + 1;
  }
}
// Tile by tile: the innermost loop is contiguous.
template <class Map>
void by_tiles(const Map& map, const float* in, float* out) {
  for (int ti = 0; ti < kRows; ti += 8) {
    for (int tj = 0; tj < kColumns; tj += 128) {
      for (int i = 0; i < 8; ++i) {
        for (int j = 0; j < 128; ++j) out[map(ti + i, tj + j)] = in[map(ti + i, tj + j)] * 2 + 1;
      }
    }
  }
}

template <auto kLoop, class Map>
void mdspan_loop(benchmark::State& state) {
  std::vector<float> in(kRows * kColumns, 1);
  std::vector<float> out(in.size());
  const Map map;
  benchmark::DoNotOptimize(in.data());
  benchmark::DoNotOptimize(out.data());
  for (auto _ : state) {
    kLoop(map, in.data(), out.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(2 * in.size() * sizeof(float)));
}

#define TESSERA_PAIR(loop, kind)                                                                          \
  BENCHMARK(mdspan_loop<&loop<kind##Mapping>, kind##Mapping>)->Name("mdspan/" #loop "/" #kind "/layout"); \
  BENCHMARK(mdspan_loop<&loop<kind##ByHand>, kind##ByHand>)->Name("mdspan/" #loop "/" #kind "/hand")
TESSERA_PAIR(by_rows, Tiled);
TESSERA_PAIR(by_tiles, Tiled);
TESSERA_PAIR(by_rows, Swizzled);
#undef TESSERA_PAIR

}  // namespace
}  // namespace tessera
