// SPDX-License-Identifier: Apache-2.0
#include "verbs/tile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/plural.h"
#include "notation/symbolic/map_tile.h"
#include "report/exit_status.h"
#include "report/map_picture.h"
#include "report/sized_answer.h"
#include "verbs/instruction.h"
#include "verbs/map_names.h"
#include "verbs/program.h"

namespace tessera::verbs {
namespace {

// The tile of a map at these indices, or at the tile numbers of a grid.
Result<MapTile> tile_of_map(const IndexMap& map, const IndexList& sizes, const IndexList& at) {
  if (sizes.empty() && at.empty()) {
    auto tile = symbolic_tile(map);
    if (!tile) return refuse("input", tile.error());
    return MapTile{map, sizes, at, *std::move(tile), true};
  }
  if (map.known_empty()) return refuse("input", symbolic_tile(map).error());
  const Result<std::vector<Index>> extents = tiled_extents(map);
  if (!extents) return refuse("input", extents.error());
  if (sizes.size() > extents->size())
    return refuse("tile", Code::rank_mismatch,
                  fmt::format("the tile has {}, but the map has {}",
                              detail::plural(static_cast<Index>(sizes.size()), "size"),
                              detail::plural(static_cast<Index>(extents->size()), "dimension")),
                  "give one size for each dimension");
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] > (*extents)[i])
      return refuse("tile", Code::number_range,
                    fmt::format("size {} of dimension {} is not between 1 and its extent {}", sizes[i], i,
                                (*extents)[i]),
                    "0 leaves the size open");
  }
  StartTile start = tile_grid(*extents, sizes);
  if (const auto placed = place_at(start, at); !placed) return refuse("at", placed.error());
  auto tile = propagate(map, start);
  if (!tile) return refuse("input", tile.error());
  return MapTile{map, sizes, at, *std::move(tile), false};
}

std::vector<Index> sizes_of(const StartTile& start) {
  std::vector<Index> out;
  for (const StartTile::Dimension& dim : start.dims)
    out.push_back(dim.size.is_constant() ? dim.size.value() : 0);
  return out;
}

// The options that exclude each other. `--leaf all` is one of them.
Result<void> check_program(const Instruction& op, const TileRequest& request) {
  constexpr const char* kHelp = "leave one of the two out";
  const bool in = request.direction == TileDirection::in;
  if (in && std::cmp_greater_equal(request.operand, op.operands.size()))
    return refuse(
        "operand", Code::index_out_of_range, fmt::format("there is no operand {}", request.operand),
        fmt::format("{} has {}, numbered from 0", op.name, detail::plural(op.operands.size(), "operand")));
  if (!in && std::cmp_greater_equal(request.leaf.leaf, op.type.leaf_count()))
    return refuse(
        "leaf", Code::index_out_of_range, fmt::format("there is no leaf {}", request.leaf.leaf),
        fmt::format("{} has {}, numbered from 0", op.name, detail::plural(op.type.leaf_count(), "array")));
  if (request.through && in)
    return refuse("through", Code::bad_option, "--through has no effect with --direction in", kHelp);
  if (request.leaf.all && (request.through || request.budget || in))
    return refuse("leaf", Code::bad_option,
                  fmt::format("--leaf all has no effect with {}", request.budget    ? "--budget"
                                                                  : request.through ? "--through"
                                                                                    : "--direction in"),
                  kHelp);
  if (in && !request.leaf.all && request.leaf.leaf != 0)
    return refuse("leaf", Code::bad_option, "--leaf has no effect with --direction in", kHelp);
  return {};
}

// The sizes with the least traffic that fit in the budget.
Result<TilingSearch> search_sizes(ProgramIndexing& program, const Instruction& op, std::size_t leaf,
                                  const TileRequest& request) {
  const Index budget = request.budget->bytes;
  auto search = valid_tilings(program, op, leaf, request.tile, budget);
  if (!search) return refuse("input", search.error());
  if (!search->best.empty()) return *std::move(search);
  const bool none = search->valid == 0;
  return refuse(
      "budget", none ? Code::not_representable : Code::capacity,
      none ? fmt::format("no tiling of {} has exact tiles of all operands", op.name)
           : fmt::format("no exact tiling of {} fits in {}", op.name, detail::plural(budget, "byte")),
      !search->smallest ? "tessera tile without --budget shows the tiles and their conditions"
                        : fmt::format("the smallest needs {}: --budget {} --tile {}",
                                      detail::plural(search->smallest->bytes, "byte"),
                                      search->smallest->bytes, fmt::join(search->smallest->sizes, ",")));
}

Result<TileAnswer> tile_of_instruction(const Instruction& op, const TileRequest& request) {
  if (const auto checked = check_program(op, request); !checked) return fail(checked.error());
  ProgramIndexing program;
  TileAnswer answer{.instruction = &op, .leaf = static_cast<std::size_t>(request.leaf.leaf)};
  answer.toward_inputs = request.direction == TileDirection::out;
  answer.operand = static_cast<std::size_t>(request.operand);
  answer.through = request.through;
  answer.at = request.at;
  IndexList sizes = request.tile;
  if (request.budget) {
    auto search = search_sizes(program, op, answer.leaf, request);
    if (!search) return fail(std::move(search.error()));
    answer.budget = request.budget->bytes;
    answer.search = *std::move(search);
    sizes = answer.search->best.front().sizes;
  }
  auto start = answer.toward_inputs ? tile_of_output(op, answer.leaf, sizes, /*whole=*/!request.budget)
                                    : tile_of_operand(op, {.operand = answer.operand}, sizes);
  if (!start) return refuse("input", start.error());
  if (const auto placed = place_at(*start, request.at); !placed) return refuse("at", placed.error());
  const HloType& type =
      answer.toward_inputs ? leaf_type(op.type, answer.leaf) : op.operand_type(answer.operand);
  if (request.through && sizes.size() > type.dims().size())
    return refuse(
        "tile", Code::bad_option,
        fmt::format("--through follows tiles of the result, which has {}, but the tile has {}",
                    detail::plural(type.dims().size(), "dimension"), detail::plural(sizes.size(), "size")),
        "give sizes of the result only, without contracted dimensions");
  answer.sizes = sizes_of(*start);
  if (request.leaf.all) {
    Result<ResultTiles> all = tiles_read_by_all(program, op, sizes);
    if (!all) return refuse("input", all.error());
    for (const StartTile& one : all->starts) answer.outputs.push_back(sizes_of(one));
    answer.tiles = std::move(all->reads);
    return answer;
  }
  auto tiles = answer.through         ? tiles_upstream(program, op, answer.leaf, *start)
               : answer.toward_inputs ? tiles_read(program, op, answer.leaf, *start)
                                      : tiles_reading(program, op, answer.operand, *start);
  if (!tiles) return refuse("input", tiles.error());
  answer.tiles = *std::move(tiles);
  const std::size_t rank = type.is_array() ? type.rank() : 0;
  const std::span<const Index> own = std::span(answer.sizes).first(rank);
  if (answer.toward_inputs && !answer.through && request.at.empty() &&
      std::ranges::find(own, 0) == own.end()) {
    auto traffic = tile_traffic(program, op, answer.leaf, own);
    if (!traffic) return refuse("input", traffic.error());
    answer.traffic = *std::move(traffic);
  }
  return answer;
}

Result<ProgramTile> tile_of_program(const std::string& path, const TileRequest& request, Observer& observer) {
  auto program = read_program(path, observer, {.sizes = request.sizes});
  if (!program) return refuse("input", std::move(program.error()));
  const auto op = find_instruction(**program, request.op);
  if (!op) return refuse("op", op.error());
  auto answer = tile_of_instruction(**op, request);
  if (!answer) return fail(std::move(answer.error()));
  return ProgramTile{*std::move(program), *std::move(answer)};
}

Result<TileResult> tile_for_all_sizes(const std::string& text, const std::optional<Diagnostic>& unread,
                                      const TileRequest& request) {
  if (!request.at.empty()) return not_with_names("at", "tiles for all sizes are those of the grid");
  Result<symbolic::AssumptionList> where = assumptions_of(request.where, request.size);
  if (!where) return fail(std::move(where.error()));
  auto sized = sized_maps({{"input", text, unread}}, where->text());
  if (!sized) return fail(std::move(sized.error()));
  const symbolic::SymbolicMap& map = sized->maps[0];
  std::vector<std::string> names = map.where().names(map.sizes());
  for (std::size_t d = 0; d < map.dims().size(); ++d) {
    for (const char* of : {"tid", "ts"}) names.push_back(fmt::format("{}_{}", of, d));
  }
  if (auto named = are_named("map", request.size, names); !named) return fail(std::move(named.error()));
  auto facts = symbolic::tile(map, request.tile, *where);
  if (!facts) return bad_input_at("input", std::move(facts.error()));
  return TileResult(SizedMapTile{text, *std::move(facts)});
}

// The first option that means nothing for a map.
const char* idle_for_a_map(const TileRequest& request) {
  return request.budget                              ? "--budget"
         : request.sizes                             ? "--sizes"
         : !request.op.empty()                       ? "--op"
         : request.through                           ? "--through"
         : request.direction == TileDirection::in    ? "--direction in"
         : request.leaf.all || request.leaf.leaf > 0 ? "--leaf"
         : request.operand != 0                      ? "--operand"
                                                     : nullptr;
}

}  // namespace

int TileResult::status() const {
  if (const auto* const sized = std::get_if<SizedMapTile>(&value_)) return status_of(sized->facts);
  if (const auto* const map = std::get_if<MapTile>(&value_))
    return map->tile.exact && !map->tile.constraint.unsatisfiable() ? kDone : kNo;
  const auto& [program, answer] = std::get<ProgramTile>(value_);
  if (has_errors(*program)) return kBadInput;
  return answer.unknown() ? kFailed : answer.exact() ? kDone : kNo;
}

Result<std::string> TileResult::to_text(const Terminal& /*terminal*/) const {
  if (const auto* const sized = std::get_if<SizedMapTile>(&value_))
    return tessera::to_text(sized->facts, 10, {.all = true});
  if (const auto* const map = std::get_if<MapTile>(&value_)) return tessera::to_text(map->tile, map->origin);
  return tessera::to_text(std::get<ProgramTile>(value_).answer);
}

Result<std::string> TileResult::to_json() const {
  if (const auto* const sized = std::get_if<SizedMapTile>(&value_))
    return tessera::to_json({.verb = "tile", .layout = "map", .list = "facts", .name = "name"}, sized->map,
                            {}, sized->facts);
  if (const auto* const map = std::get_if<MapTile>(&value_)) return tessera::to_json(map->tile, status());
  return tessera::to_json(std::get<ProgramTile>(value_).answer, status());
}

Result<std::string> TileResult::to_picture(PictureFormat format) const {
  const auto* const map = std::get_if<MapTile>(&value_);
  if (map == nullptr) return VerbAnswer::to_picture(format);
  Result<Picture> picture = map_picture(map->map, map->sizes, map->at);
  if (!picture) return refuse("input", std::move(picture.error()));
  if (format != PictureFormat::json) return render_file(*picture, format);
  std::string json = tessera::to_json(map->tile, status());
  json.insert(json.size() - 1, ",\"picture\":" + render_json(*picture));
  return json;
}

std::vector<std::string> TileResult::hints() const {
  const auto* const sized = std::get_if<SizedMapTile>(&value_);
  return sized == nullptr ? std::vector<std::string>{} : sized->facts.notes;
}

Result<TileResult> tile(const TileRequest& request, Observer& observer) {
  if (!request.at.empty() && (request.leaf.all || request.budget))
    return refuse("at", Code::bad_option,
                  fmt::format("--at has no effect with {}", request.leaf.all ? "--leaf all" : "--budget"),
                  "leave one of the two out");
  if (const auto* const file = std::get_if<ProgramPath>(&request.input)) {
    auto program = tile_of_program(file->path, request, observer);
    if (!program) return fail(std::move(program.error()));
    return TileResult(*std::move(program));
  }
  if (const char* const idle = idle_for_a_map(request)) {
    std::string_view field = std::string_view(idle).substr(2);
    field = field.substr(0, field.find(' '));
    return refuse(field, Code::bad_option, fmt::format("{} has no effect on a map", idle),
                  "give a file with an HLO program");
  }
  if (const auto* const text = std::get_if<SizedMapText>(&request.input))
    return tile_for_all_sizes(text->text, text->unread, request);
  if (!request.where.empty() || !request.size.empty())
    return tile_for_all_sizes(to_string(std::get<IndexMap>(request.input)), {}, request);
  auto map = tile_of_map(std::get<IndexMap>(request.input), request.tile, request.at);
  if (!map) return fail(std::move(map.error()));
  return TileResult(*std::move(map));
}

}  // namespace tessera::verbs
