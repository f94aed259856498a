// SPDX-License-Identifier: Apache-2.0
/// \file
/// The verb `tile`: what a tile of an instruction's result, or of a map, reads.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "report/tile_answer.h"
#include "size/sized_cases.h"
#include "tessera/hlo/module.h"
#include "verbs/program.h"
#include "verbs/request.h"
#include "verbs/sizes.h"
#include "verbs/verb.h"

namespace tessera::verbs {

/// Where a tile begins: at the result, or at an operand.
enum class TileDirection : std::uint8_t { out, in };
template <>
struct Words<TileDirection> {
  static constexpr std::array<std::string_view, 2> words = {"out", "in"};
};

struct TileRequest {
  MapOrProgram input = {};
  std::string op = {};  ///< empty: the root of the entry
  IndexList tile = {};  ///< a size that is 0 or left out is open
  IndexList at = {};    ///< empty: the tiles of the grid
  std::optional<ByteCount> budget = {};
  TileDirection direction = TileDirection::out;
  bool through = false;
  bool sizes = false;
  std::string where = {};
  std::vector<SizeValues> size = {};
  Index operand = 0;
  LeafChoice leaf = {};
};

template <>
struct Description<TileRequest> {
  static constexpr std::string_view name = "tile";
  static constexpr std::string_view help = "what a tile of an instruction's result, or of a map, reads";
  static constexpr std::string_view extensions = ".txt .svg .png .tex .html";

  static constexpr std::string_view footer =
      R"(Tile numbers are tid_0, tid_1, ...; sizes that are open are ts_0, ts_1, ... A tile has the indices offset + stride * k
with k below its size. -o FILE draws a tile of a map as .svg, .png, .tex, .html or .json. 'if' gives the sizes for which it is exactly what is read; 'bound' says that it contains what is
read. The exit status is 1 if a tile is only a bound, and 3 if one is unknown.

Examples:
  tessera tile '(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 5], d1 in [0, 7]'
  tessera tile '(d0) -> (d0 / 6, d0 mod 6), domain: d0 in [0, 47]' --tile 12
  tessera tile '(d0) -> (d0 / 6, d0 mod 6), domain: d0 in [0, 47]' --tile 12 --at 5
  tessera tile '(d0, d1) -> (d1, d0), domain: d0 in [0, M - 1], d1 in [0, N - 1]' --where 'M, N' --tile 8,4
  tessera tile examples/hlo/transformer_block.hlo --op scores --tile 1,1,64,64
  tessera tile examples/hlo/transformer_block_gpu.hlo --op qkv --budget 48K)";

  template <class Visit>
  static void fields(Visit&& visit) {
    visit(Field{.name = "input",
                .value = "FILE|MAP",
                .help = "a file with an HLO program, or an index map; - reads one per line from stdin",
                .argument = true},
          &TileRequest::input);
    visit(Field{.name = "op",
                .value = "NAME",
                .help =
                    "the instruction, NAME or COMPUTATION/NAME (default: the root of the entry computation)"},
          &TileRequest::op);
    visit(
        Field{.name = "tile",
              .value = "N,N,...",
              .help = "sizes of the tile: one for each dimension, then one for each contracted dimension; a "
                      "size that is 0 or left out is open",
              .example = "1,128,64; 0 leaves a size open"},
        &TileRequest::tile);
    visit(
        Field{.name = "at",
              .value = "I,I,...",
              .help = "one tile: its first index in each dimension, which need not be a multiple of its size",
              .example = "0,128,64"},
        &TileRequest::at);
    visit(Field{.name = "budget",
                .value = "BYTES|48K|1M",
                .help =
                    "find the open sizes: exact tiles with the least traffic, where a tile and what it reads "
                    "fit in this many bytes",
                .example = "48K"},
          &TileRequest::budget);
    visit(
        Field{.name = "direction",
              .help = "out: from a tile of the result to what it reads (the default); in: from a tile of an "
                      "operand to what reads it"},
        &TileRequest::direction);
    visit(Field{.name = "through",
                .help = "every value of the computation that the tile depends on, down to its parameters"},
          &TileRequest::through);
    visit(kSizesField, &TileRequest::sizes);
    visit(kWhereField, &TileRequest::where);
    visit(kSizeField, &TileRequest::size);
    visit(Field{.name = "operand", .value = "N", .help = "the operand for --direction in (default: 0)"},
          &TileRequest::operand);
    visit(
        Field{.name = "leaf",
              .value = "N|all",
              .help = "for a tuple result, the number of one of its arrays (default: 0), or all: everything "
                      "that tiles of all its arrays read"},
        &TileRequest::leaf);
  }
};

/// The tile of a map.
struct MapTile {
  IndexMap map;
  IndexList sizes;
  IndexList at;
  SymbolicTile tile;
  bool origin = false;  ///< for any sizes, at index 0
};

/// The tiles of an instruction, and the program that contains it.
struct ProgramTile {
  std::shared_ptr<const ParsedModules> program;
  TileAnswer answer;
};

/// The tile of a map with names for sizes.
struct SizedMapTile {
  std::string map;
  symbolic::SizedAnswers facts;
};

/// A value of `tile`. Its status is 1 if a tile is only a bound, and 3 if one is unknown.
class TileResult : public VerbAnswer {
 public:
  explicit TileResult(std::variant<MapTile, ProgramTile, SizedMapTile> value) : value_(std::move(value)) {}

  int status() const override;
  Result<std::string> to_text(const Terminal& terminal) const override;
  Result<std::string> to_json() const override;
  Result<std::string> to_picture(PictureFormat format) const override;
  std::vector<std::string> hints() const override;
  bool has_picture() const override { return std::holds_alternative<MapTile>(value_); }

 private:
  std::variant<MapTile, ProgramTile, SizedMapTile> value_;
};

/// Errors: those of symbolic_tile, propagate,
/// tiles_read and tiles_reading; of the request: unknown_name, rank_mismatch, number_range, bad_option;
/// not_representable or capacity (no tiling fits the budget); of the file: as read_file.
Result<TileResult> tile(const TileRequest& request, Observer& observer);

}  // namespace tessera::verbs
