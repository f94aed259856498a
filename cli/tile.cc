// SPDX-License-Identifier: Apache-2.0
// `tessera tile`: finds what a tile of one array reads from other arrays.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/plural.h"
#include "cli/byte_size.h"
#include "cli/help.h"
#include "cli/instruction.h"
#include "cli/question.h"
#include "cli/verbs.h"
#include "report/tile_answer.h"
#include "tessera/hlo/module.h"
#include "tessera/text/index_map.h"

namespace tessera::cli {
namespace {

constexpr Index kMostLeaves = Index{1} << 31;

struct AskedTile {
  std::string input;
  std::string op;
  std::string tile;
  std::string at;
  std::string budget;
  std::string direction = "out";
  bool through = false;
  Index operand = 0;
  std::string leaf = "0";

  bool all_outputs() const { return leaf == "all"; }
  std::size_t output() const {
    Index out = 0;
    CLI::detail::lexical_cast(leaf, out);  // 0 for all
    return static_cast<std::size_t>(out);
  }
};

// The inputs of the question. The values of options are separate inputs, so that errors can point at them.
enum Input : std::size_t { kText, kTile, kBudget, kOp, kAt };

PrintedAnswer refuse(Code code, std::string message, std::string help = {}, Input input = kText) {
  return no_answer({.code = code, .message = std::move(message), .help = std::move(help)}, input);
}

// Reads `1,128,64`. A 0 leaves a size open.
std::optional<std::vector<Index>> read_sizes(const std::string& text) {
  std::vector<Index> out;
  for (std::size_t at = 0; at <= text.size() && !text.empty();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    Index size = 0;
    const auto [read, error] = std::from_chars(text.data() + at, text.data() + end, size);
    if (error != std::errc{} || read != text.data() + end || size < 0) return std::nullopt;
    out.push_back(size);
    at = end + 1;
  }
  return out;
}

int status_of_tile(const SymbolicTile& tile) {
  return tile.exact && !tile.constraint.unsatisfiable() ? kDone : kNo;
}

// The tile of a map at these indices, or at the tile numbers of a grid.
PrintedAnswer tile_of_map(const std::string& text, const std::vector<Index>& sizes,
                          const std::vector<Index>& at) {
  const Result<IndexMap> map = parse_index_map(text);
  if (!map) return unreadable(map.error(), 0);
  if (sizes.empty() && at.empty()) {
    const auto tile = symbolic_tile(*map);
    if (!tile) return no_answer(tile.error(), 0);
    const int status = status_of_tile(*tile);
    return {.status = status, .text = to_text(*tile, true), .json = to_json(*tile, status)};
  }
  if (map->known_empty()) return no_answer(symbolic_tile(*map).error(), kText);
  const Result<std::vector<Index>> bounded = tiled_extents(*map);
  if (!bounded) return no_answer(bounded.error(), kText);
  const std::vector<Index>& extents = *bounded;
  if (sizes.size() > extents.size())
    return refuse(Code::rank_mismatch,
                  fmt::format("the tile has {}, but the map has {}",
                              detail::plural(static_cast<Index>(sizes.size()), "size"),
                              detail::plural(static_cast<Index>(extents.size()), "dimension")),
                  "give one size for each dimension", kTile);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] > extents[i])
      return refuse(
          Code::number_range,
          fmt::format("size {} of dimension {} is not between 1 and its extent {}", sizes[i], i, extents[i]),
          "0 leaves the size open", kTile);
  }
  StartTile start = tile_grid(extents, sizes);
  if (const auto placed = place_at(start, at); !placed) return no_answer(placed.error(), kAt);
  const auto tile = propagate(*map, start);
  if (!tile) return no_answer(tile.error(), 0);
  const int status = status_of_tile(*tile);
  return {.status = status, .text = to_text(*tile, false), .json = to_json(*tile, status)};
}

std::vector<Index> sizes_of(const StartTile& start) {
  std::vector<Index> out;
  for (const StartTile::Dimension& dim : start.dims)
    out.push_back(dim.size.is_constant() ? dim.size.value() : 0);
  return out;
}

// What the tiles of all arrays of the result read.
Result<void> read_by_all(ProgramIndexing& program, const Instruction& op, const std::vector<Index>& sizes,
                         TileAnswer& answer) {
  Result<ResultTiles> all = tiles_read_by_all(program, op, sizes);
  if (!all) return fail(std::move(all.error()));
  for (const StartTile& start : all->starts) answer.outputs.push_back(sizes_of(start));
  answer.tiles = std::move(all->reads);
  return {};
}

PrintedAnswer tile_of_program(Session& session, const AskedTile& asked, const std::string& file,
                              std::vector<Index> sizes, std::vector<Index> at, std::optional<Index> budget) {
  const Result<std::shared_ptr<const Source>> source = read_file(file);
  if (!source) return no_answer(source.error(), 0);
  const ParsedModules parsed = parse_hlo(*source);
  int status = kDone;
  for (const Diagnostic& diagnostic : parsed.diagnostics) {
    session.report(diagnostic, parsed.source);
    if (diagnostic.severity == Severity::error) status = kBadInput;
  }
  if (parsed.modules.empty()) return refuse(Code::syntax, "the file has no module");
  const auto instruction = find_instruction(parsed, asked.op);
  if (!instruction) return no_answer(instruction.error(), kOp);
  const Instruction& op = **instruction;
  if (asked.through && asked.direction == "in")
    return refuse(Code::bad_option, "--through has no effect with --direction in",
                  "leave one of the two out");
  if (asked.all_outputs() && (asked.through || budget || asked.direction == "in"))
    return refuse(Code::bad_option,
                  fmt::format("--leaf all has no effect with {}", budget          ? "--budget"
                                                                  : asked.through ? "--through"
                                                                                  : "--direction in"),
                  "leave one of the two out");
  if (asked.direction == "in" && !asked.all_outputs() && asked.leaf != "0")
    return refuse(Code::bad_option, "--leaf has no effect with --direction in", "leave one of the two out");
  ProgramIndexing program;
  TileAnswer answer{.instruction = &op, .leaf = asked.output()};
  answer.toward_inputs = asked.direction == "out";
  answer.operand = static_cast<std::size_t>(asked.operand);
  answer.through = asked.through;
  answer.budget = budget;
  if (budget) {
    auto search = valid_tilings(program, op, answer.leaf, sizes, budget);
    if (!search) return no_answer(search.error(), 0);
    answer.search = *std::move(search);
    if (answer.search->best.empty()) {
      return no_answer(
          {.code = answer.search->valid == 0 ? Code::not_representable : Code::capacity,
           .message = answer.search->valid == 0
                          ? fmt::format("no tiling of {} has exact tiles of all operands", op.name)
                          : fmt::format("no exact tiling of {} fits in {}", op.name,
                                        detail::plural(*budget, "byte")),
           .help = !answer.search->smallest
                       ? "tessera tile without --budget shows the tiles and their conditions"
                       : fmt::format("the smallest needs {}: --budget {} --tile {}",
                                     detail::plural(answer.search->smallest->bytes, "byte"),
                                     answer.search->smallest->bytes,
                                     fmt::join(answer.search->smallest->sizes, ","))},
          kBudget);
    }
    sizes = answer.search->best.front().sizes;
  }
  auto start = answer.toward_inputs ? tile_of_output(op, answer.leaf, sizes, /*whole=*/!budget)
                                    : tile_of_operand(op, {.operand = answer.operand}, sizes);
  if (!start) return no_answer(start.error(), 0);
  if (const auto placed = place_at(*start, at); !placed) return no_answer(placed.error(), kAt);
  answer.at = at;
  const HloType& type =
      answer.toward_inputs ? leaf_type(op.type, answer.leaf) : op.operand_type(answer.operand);
  if (asked.through && sizes.size() > type.dims().size())
    return refuse(
        Code::bad_option,
        fmt::format("--through follows tiles of the result, which has {}, but the tile has {}",
                    detail::plural(type.dims().size(), "dimension"), detail::plural(sizes.size(), "size")),
        "give sizes of the result only, without contracted dimensions", kTile);
  answer.sizes = sizes_of(*start);
  if (asked.all_outputs()) {
    if (auto failed = read_by_all(program, op, sizes, answer); !failed) return no_answer(failed.error(), 0);
  }
  auto tiles = asked.all_outputs()    ? Result<std::vector<OperandTile>>(std::move(answer.tiles))
               : answer.through       ? tiles_upstream(program, op, answer.leaf, *start)
               : answer.toward_inputs ? tiles_read(program, op, answer.leaf, *start)
                                      : tiles_reading(program, op, answer.operand, *start);
  if (!tiles) return no_answer(tiles.error(), 0);
  answer.tiles = *std::move(tiles);
  const std::size_t rank = type.is_array() ? type.rank() : 0;
  const std::span<const Index> own = std::span(answer.sizes).first(rank);
  if (answer.toward_inputs && !answer.through && !asked.all_outputs() && at.empty() &&
      std::ranges::find(own, 0) == own.end()) {
    auto traffic = tile_traffic(program, op, answer.leaf, own);
    if (!traffic) return no_answer(traffic.error(), 0);
    answer.traffic = *std::move(traffic);
  }
  if (status == kDone) status = answer.unknown() ? kFailed : answer.exact() ? kDone : kNo;
  return {.status = status, .text = to_text(answer), .json = to_json(answer, status)};
}

PrintedAnswer ask_tile(Session& session, const AskedTile& asked, const std::string& text) {
  const auto sizes = read_sizes(asked.tile);
  if (!sizes)
    return refuse(Code::bad_option, fmt::format("'{}' is not a list of sizes", asked.tile),
                  "--tile 1,128,64; 0 leaves a size open", kTile);
  const auto at = read_sizes(asked.at);
  if (!at)
    return refuse(Code::bad_option, fmt::format("'{}' is not a list of indices", asked.at), "--at 0,128,64",
                  kAt);
  if (!at->empty() && (asked.all_outputs() || !asked.budget.empty()))
    return refuse(Code::bad_option,
                  fmt::format("--at has no effect with {}", asked.all_outputs() ? "--leaf all" : "--budget"),
                  "leave one of the two out", kAt);
  std::optional<Index> budget;
  if (!asked.budget.empty()) {
    budget = parse_byte_size(asked.budget);
    if (!budget || *budget < 1)
      return refuse(Code::bad_option, fmt::format("'{}' is not a number of bytes", asked.budget),
                    "--budget 48K", kBudget);
  }
  if (!is_map_text(text)) return tile_of_program(session, asked, text, *sizes, *at, budget);
  const char* const idle = budget                    ? "--budget"
                           : !asked.op.empty()       ? "--op"
                           : asked.through           ? "--through"
                           : asked.direction == "in" ? "--direction in"
                           : asked.leaf != "0"       ? "--leaf"
                           : asked.operand != 0      ? "--operand"
                                                     : nullptr;
  if (idle != nullptr)
    return refuse(Code::bad_option, fmt::format("{} has no effect on a map", idle),
                  "give a file with an HLO program", budget ? kBudget : kText);
  return tile_of_map(text, *sizes, *at);
}

}  // namespace

void add_tile(CLI::App& app, Session& session) {
  CLI::App* tile = app.add_subcommand("tile", "what a tile of an instruction's result, or of a map, reads");
  auto asked = std::make_shared<AskedTile>();
  tile->add_option("INPUT", asked->input,
                   "a file with an HLO program, or an index map; - reads one per line from stdin")
      ->required()
      ->type_name("FILE|MAP");
  tile->add_option("--op", asked->op,
                   "the instruction, NAME or COMPUTATION/NAME (default: the root of the entry computation)")
      ->type_name("NAME");
  tile->add_option("--tile", asked->tile,
                   "sizes of the tile: one for each dimension, then one for each contracted dimension; a "
                   "size that is 0 or left out is open")
      ->type_name("N,N,...");
  tile->add_option("--at", asked->at,
                   "one tile: its first index in each dimension, which need not be a multiple of its size")
      ->type_name("I,I,...");
  tile->add_option(
          "--budget", asked->budget,
          "find the open sizes: exact tiles with the least traffic, where a tile and what it reads fit in "
          "this many bytes")
      ->type_name("BYTES|48K|1M");
  tile->add_option(
          "--direction", asked->direction,
          "out: from a tile of the result to what it reads (the default); in: from a tile of an operand to "
          "what reads it")
      ->type_name("out|in")
      ->check(one_of({"out", "in"}));
  tile->add_flag("--through", asked->through,
                 "every value of the computation that the tile depends on, down to its parameters");
  tile->add_option("--operand", asked->operand, "the operand for --direction in (default: 0)")
      ->check(CLI::Range(Index{0}, Index{1} << 31));
  tile->add_option("--leaf", asked->leaf,
                   "for a tuple result, the number of one of its arrays (default: 0), or all: everything "
                   "that tiles of all its arrays read")
      ->check([](const std::string& text) {
        Index leaf = 0;
        const bool good =
            text == "all" || (CLI::detail::lexical_cast(text, leaf) && leaf >= 0 && leaf <= kMostLeaves);
        return good ? std::string() : fmt::format("'{}' is neither the number of an array nor 'all'", text);
      })
      ->type_name("N|all");
  add_common_options(*tile, session);
  tile->footer(
      R"(Tile numbers are tid_0, tid_1, ...; sizes that are open are ts_0, ts_1, ... A tile has the indices offset + stride * k
with k below its size. 'if' gives the sizes for which it is exactly what is read; 'bound' says that it contains what is
read. The exit status is 1 if a tile is only a bound, and 3 if one is unknown.

Examples:
  tessera tile '(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 5], d1 in [0, 7]'
  tessera tile '(d0) -> (d0 / 6, d0 mod 6), domain: d0 in [0, 47]' --tile 12
  tessera tile '(d0) -> (d0 / 6, d0 mod 6), domain: d0 in [0, 47]' --tile 12 --at 5
  tessera tile examples/hlo/transformer_block.hlo --op scores --tile 1,1,64,64
  tessera tile examples/hlo/transformer_block_gpu.hlo --op qkv --budget 48K)");
  tile->callback([&session, asked] {
    session.action = [&session, asked] {
      return answer(session,
                    {.inputs = {asked->input, asked->tile, asked->budget, asked->op, asked->at},
                     .ask = [&](const Inputs& texts) { return ask_tile(session, *asked, texts[kText]); },
                     .options = {"", "--tile", "--budget", "--op", "--at"}});
    };
  });
}

}  // namespace tessera::cli
