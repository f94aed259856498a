// SPDX-License-Identifier: Apache-2.0
#include "report/tile_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/plural.h"
#include "base/printable.h"
#include "hlo/syntax/printer.h"
#include "report/indexing_maps.h"
#include "report/indexing_text.h"
#include "report/json.h"

namespace tessera {
namespace {

VariableNamer names_of(const SymbolicTile& tile) {
  return [all = tile.parameters](Index v) { return all.name(static_cast<std::size_t>(v)); };
}

std::string list(const SymbolicTile& tile, Expr TileDimension::* part) {
  std::vector<std::string> out;
  for (const TileDimension& dim : tile.dims) out.push_back(to_string(dim.*part, names_of(tile)));
  return fmt::format("({})", fmt::join(out, ", "));
}

std::string entry(std::string_view name, const std::string& value) {
  return fmt::format("  {:<10}{}\n", name, value);
}

// What cuts a tile of an array with this shape: also the map's domain, if the map is not defined on all of
// it.
std::string_view cutter(const Indexing& indexing, std::span<const Index> shape) {
  const IndexMap& map = indexing.map;
  bool whole = map.dim_count() == shape.size() && map.constraints().empty();
  for (std::size_t d = 0; whole && d < shape.size(); ++d)
    whole = map.variables()[d].bounds == Interval::of_extent(shape[d]);
  return whole ? "the end of the array" : "the end of the array or the domain of its map";
}

std::string tile_lines(const SymbolicTile& tile, std::span<const Index> extents, std::string_view cutter) {
  std::string out = entry("offset", list(tile, &TileDimension::offset));
  out += entry("size", list(tile, &TileDimension::size));
  const auto plain = [](const TileDimension& dim) {
    return dim.stride.is_constant(1) || dim.size.is_constant(1);
  };
  if (!std::ranges::all_of(tile.dims, plain)) out += entry("stride", list(tile, &TileDimension::stride));
  bool whole = extents.size() == tile.dims.size();
  for (std::size_t i = 0; whole && i < extents.size(); ++i)
    whole = tile.dims[i].lower.is_constant(0) && tile.dims[i].upper.is_constant(extents[i]);
  if (!whole && !tile.dims.empty()) {
    std::vector<std::string> limits;
    for (const TileDimension& dim : tile.dims)
      limits.push_back(fmt::format("[{}, {})", to_string(dim.lower, names_of(tile)),
                                   to_string(dim.upper, names_of(tile))));
    out += entry("within", fmt::format("{}", fmt::join(limits, " x ")));
  }
  if (!tile.constraint.always_satisfied()) out += entry("if", to_string(tile.constraint, names_of(tile)));
  if (!tile.active.always_satisfied()) out += entry("reads if", to_string(tile.active, names_of(tile)));
  if (tile.exact && tile.edges.unsatisfiable()) {
    out += entry("edge", fmt::format("a tile that {} cuts may read less", cutter));
  } else if (tile.exact && !tile.edges.always_satisfied()) {
    out += entry("edge", fmt::format("a tile that {} cuts may read less, unless {}", cutter,
                                     to_string(tile.edges, names_of(tile))));
  }
  return out;
}

// What the runtime variables of the tile hold.
std::string runtime_lines(const Indexing& x) {
  std::string out;
  const std::size_t first = x.map.dim_count() + x.map.range_count();
  for (std::size_t i = 0; i < x.runtime.size() && x.exactness != Exactness::unknown; ++i)
    out += entry(x.map.domain().name(first + i), runtime_text(x.runtime[i]));
  return out;
}

// Those of a tile of a map, which does not say where they are read.
std::string runtime_lines(const SymbolicTile& tile) {
  std::string out;
  for (std::size_t v = 0; v < tile.parameters.variable_count(); ++v) {
    if (tile.parameters.kind(v) != VariableKind::runtime) continue;
    const Interval& bounds = tile.parameters.variables()[v].bounds;
    out +=
        entry(tile.parameters.name(v), fmt::format("the runtime variable of the map, in [{}, {}]: one value "
                                                   "for the whole tile",
                                                   bounds.lower, bounds.upper));
  }
  return out;
}

std::string exactness_line(const SymbolicTile& tile) {
  return entry(tile.exact ? "exact" : "bound", tile.exact ? "the tile is what is read" : tile.reason);
}

std::string times(Index part, Index whole) {
  if (whole == 0) return "0";
  return fmt::format("{:.2f}", static_cast<double>(part) / static_cast<double>(whole));
}

Index bytes_of(Index elements, int bits) { return ceil_div(elements * bits, 8); }

std::string bytes_text(const Count& count, int bits) {
  if (count.exact()) return detail::plural(bytes_of(count.lower, bits), "byte");
  if (!count.upper) return fmt::format("at least {} bytes", bytes_of(count.lower, bits));
  return fmt::format("{} to {} bytes", bytes_of(count.lower, bits), bytes_of(*count.upper, bits));
}

// Whether the map is proved to read each element equally often: every result is a constant or a variable of
// its own.
bool reads_evenly(const Indexing& indexing) {
  const IndexMap& map = indexing.map;
  if (indexing.exactness != Exactness::exact || map.runtime_count() > 0 || !map.constraints().empty())
    return false;
  std::vector<bool> seen(map.variables().size());
  for (const Expr e : map.results()) {
    if (e.is_constant()) continue;
    if (!e.is_variable() || seen[static_cast<std::size_t>(e.value())]) return false;
    seen[static_cast<std::size_t>(e.value())] = true;
  }
  return true;
}

std::string traffic_line(const ArrayTraffic& traffic, bool even) {
  const TileReads& reads = traffic.reads;
  std::string out = fmt::format("{} for a tile of the result, {} for all",
                                bytes_text(reads.used_by_first, traffic.element_bits),
                                bytes_text(reads.used, traffic.element_bits));
  if (reads.used.exact())
    out += fmt::format(", {} times the array", times(reads.used.lower, traffic.elements));
  const Index read = reads.reads_by_first.lower;
  const Index used = reads.used_by_first.lower;
  if (reads.reads_by_first.exact() && reads.used_by_first.exact() && used > 0)
    out += even && read % used == 0
               ? fmt::format("; each byte of a tile is used {}", detail::plural(read / used, "time"))
               : fmt::format("; each byte of a tile is used {} times on average", times(read, used));
  if (reads.exactness != Exactness::exact && !reads.reason.empty())
    out += fmt::format(" (at most: {})", reads.reason);
  return out;
}

const ArrayTraffic* traffic_of(const TileAnswer& answer, const OperandTile& tile) {
  const auto found = std::ranges::find_if(answer.traffic, [&](const ArrayTraffic& t) {
    return t.operand == tile.operand && t.leaf == tile.leaf;
  });
  return found == answer.traffic.end() ? nullptr : &*found;
}

std::string size_text(std::span<const Index> sizes) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    out.push_back(sizes[i] == 0 ? fmt::format("ts_{}", i) : fmt::format("{}", sizes[i]));
  return out.empty() ? "one element" : fmt::format("{}", fmt::join(out, " x "));
}

const HloType& start_type(const TileAnswer& answer) {
  return answer.toward_inputs ? leaf_type(answer.instruction->type, answer.leaf)
                              : leaf_type(answer.instruction->operand_type(answer.operand), 0);
}

const HloType& read_type(const TileAnswer& answer, const OperandTile& tile) {
  if (answer.through) return leaf_type(tile.value->type, tile.leaf);
  return answer.toward_inputs ? leaf_type(answer.instruction->operand_type(tile.operand), tile.leaf)
                              : leaf_type(answer.instruction->type, tile.leaf);
}

std::string search_line(const TileAnswer& answer) {
  const TilingSearch& search = *answer.search;
  const Index budget = answer.budget.value_or(0);
  std::string out = fmt::format("{} of {} tilings have exact tiles, {} within {} bytes", search.valid,
                                search.tried, search.fitting, budget);
  if (!search.divisors) out += " (powers of two and whole dimensions only)";
  if (search.smallest)
    out += fmt::format("; the smallest needs {}", detail::plural(search.smallest->bytes, "byte"));
  if (search.best.empty()) return out + "\n";
  const Tiling& best = search.best.front();
  return out + fmt::format("\nleast traffic: {} in {} bytes, at most {} bytes read by {}\n",
                           size_text(best.sizes), best.bytes, best.traffic,
                           detail::plural(best.tiles, "tile"));
}

Json tile_json(const SymbolicTile& tile) {
  Json out;
  Json dims = Json::array();
  const auto text = [&](Expr e) { return to_string(e, names_of(tile)); };
  for (const TileDimension& dim : tile.dims) {
    dims.push_back({{"offset", text(dim.offset)},
                    {"size", text(dim.size)},
                    {"stride", text(dim.stride)},
                    {"lower", text(dim.lower)},
                    {"upper", text(dim.upper)}});
  }
  out["dims"] = std::move(dims);
  out["constraint"] = to_string(tile.constraint, names_of(tile));
  out["edges"] = to_string(tile.edges, names_of(tile));
  out["active"] = to_string(tile.active, names_of(tile));
  out["exact"] = tile.exact;
  out["reason"] = tile.exact ? Json(nullptr) : Json(tile.reason);
  return out;
}

Json tile_json(const ArrayTraffic& traffic) {
  return {{"operand", traffic.operand},
          {"leaf", traffic.leaf},
          {"element_bits", traffic.element_bits},
          {"elements", traffic.elements},
          {"used", detail::json_of(traffic.reads.used)},
          {"reads", detail::json_of(traffic.reads.reads)},
          {"tile_used", detail::json_of(traffic.reads.used_by_first)},
          {"tile_reads", detail::json_of(traffic.reads.reads_by_first)},
          {"exact", traffic.reads.exactness == Exactness::exact}};
}

Json tiling_json(const Tiling& t) {
  return {{"sizes", t.sizes}, {"tiles", t.tiles}, {"bytes", t.bytes}, {"traffic", t.traffic}};
}

bool is_of_same_array(const OperandTile& a, const OperandTile& b) {
  return a.operand == b.operand && a.leaf == b.leaf && a.value == b.value;
}

bool is_last(const TileAnswer& answer, const OperandTile& tile) {
  return std::none_of(answer.tiles.begin() + (&tile - answer.tiles.data()) + 1, answer.tiles.end(),
                      [&](const OperandTile& other) { return is_of_same_array(other, tile); });
}

// One tile for all reads of the array.
std::string together_lines(const TileAnswer& answer, const OperandTile& tile,
                           std::span<const Index> extents) {
  const auto joined = answer.together(tile);
  if (!joined) return "";
  return "  together\n" + tile_lines(*joined, extents, "the end of the array or the domain of a map") +
         entry(joined->exact ? "exact" : "bound", joined->exact ? "the tiles form one tile" : joined->reason);
}

}  // namespace

std::optional<SymbolicTile> TileAnswer::together(const OperandTile& tile) const {
  std::vector<SymbolicTile> all;
  for (const OperandTile& other : tiles) {
    if (!is_of_same_array(other, tile)) continue;
    if (!other.tile && other.indexing.exactness == Exactness::exact && other.indexing.map.known_empty())
      continue;
    if (!other.tile || other.replica) return std::nullopt;
    all.push_back(*other.tile);
    if (all.back().exact && other.indexing.exactness != Exactness::exact) {
      all.back().exact = false;
      all.back().reason = other.indexing.reason;
    }
  }
  return all.size() < 2 ? std::nullopt : tile_union(all);
}

bool TileAnswer::exact() const {
  return std::ranges::all_of(tiles, [this](const OperandTile& t) {
    if (t.indexing.map.known_empty()) return t.indexing.exactness == Exactness::exact;
    const auto joined = is_last(*this, t) ? together(t) : std::nullopt;
    return t.exact() && (!joined || joined->exact);
  });
}

bool TileAnswer::unknown() const {
  return std::ranges::any_of(tiles, [](const OperandTile& t) {
    return !t.tile && (t.indexing.exactness == Exactness::unknown || !t.indexing.map.known_empty());
  });
}

std::string to_text(const TileAnswer& answer) {
  const Instruction& op = *answer.instruction;
  std::string out;
  if (answer.search) out += search_line(answer);
  out += fmt::format(
      "{} {}, tile {}\n",
      answer.toward_inputs ? detail::printable(op.name)
                           : fmt::format("operand {} of {}", answer.operand, detail::printable(op.name)),
      to_string(start_type(answer)),
      size_text(answer.sizes) + (answer.at.empty() ? "" : fmt::format(" at {}", fmt::join(answer.at, ","))));
  for (std::size_t k = 1; k < answer.outputs.size(); ++k)
    out += fmt::format("output {} {}, tile {}\n", k, to_string(leaf_type(op.type, k)),
                       size_text(answer.outputs[k]));
  for (const OperandTile& tile : answer.tiles) {
    const HloType& type = read_type(answer, tile);
    if (answer.through) {
      out +=
          fmt::format("{}{} {}\n", detail::printable(tile.value->name),
                      tile.value->type.is_tuple() ? fmt::format("{{{}}}", tile.leaf) : "", to_string(type));
    } else if (answer.toward_inputs) {
      out += fmt::format("operand {} {}{} {}{}\n", tile.operand,
                         detail::printable(op.operands[tile.operand].instruction->name),
                         op.operand_type(tile.operand).is_tuple() ? fmt::format("{{{}}}", tile.leaf) : "",
                         to_string(type),
                         answer.outputs.empty() ? "" : fmt::format(", read for output {}", tile.output));
    } else {
      out += fmt::format("output {} {}\n", tile.leaf, to_string(type));
    }
    if (!tile.tile) {
      out +=
          entry(tile.indexing.exactness == Exactness::unknown || !tile.indexing.map.known_empty() ? "unknown"
                                                                                                  : "exact",
                tile.reason);
      continue;
    }
    out += tile_lines(*tile.tile, type.dims(), cutter(tile.indexing, start_type(answer).dims()));
    if (tile.replica) out += entry("replica", list(*tile.replica, &TileDimension::offset) + " of the group");
    const bool superset = tile.indexing.exactness == Exactness::superset && tile.tile->exact;
    out += superset ? entry("bound", tile.indexing.reason) : exactness_line(*tile.tile);
    out += runtime_lines(tile.indexing);
    for (const std::size_t i : tile.varying) {
      out +=
          entry("varies", fmt::format("{} has its own value for each index of the tile",
                                      tile.indexing.map.domain().name(tile.indexing.map.dim_count() +
                                                                      tile.indexing.map.range_count() + i)));
    }
    const ArrayTraffic* const traffic = traffic_of(answer, tile);
    if (traffic != nullptr && &tile == &*std::ranges::find_if(answer.tiles, [&](const OperandTile& t) {
          return traffic_of(answer, t) == traffic;
        })) {
      const auto maps = std::ranges::count_if(
          answer.tiles, [&](const OperandTile& t) { return traffic_of(answer, t) == traffic; });
      out += entry("reads", traffic_line(*traffic, maps == 1 && reads_evenly(tile.indexing)));
    }
    if (is_last(answer, tile)) out += together_lines(answer, tile, type.dims());
  }
  out.pop_back();
  return out;
}

std::string to_json(const TileAnswer& answer, int status) {
  Json out = {{"schema", "tessera.tile/1"}, {"status", status}};
  out["instruction"] = std::string(answer.instruction->name);
  out["direction"] = answer.toward_inputs ? "out" : "in";
  out["type"] = to_string(start_type(answer));
  out["shape"] = start_type(answer).dims();
  out["tile"] = answer.sizes;
  out["at"] = answer.at.empty() ? Json(nullptr) : Json(answer.at);
  if (!answer.outputs.empty()) out["outputs"] = answer.outputs;
  Json tiles = Json::array();
  for (const OperandTile& tile : answer.tiles) {
    Json own = {{answer.through         ? "value"
                 : answer.toward_inputs ? "operand"
                                        : "output",
                 answer.through ? Json(std::string(tile.value->name)) : Json(tile.operand)},
                {"leaf", tile.leaf}};
    own["type"] = to_string(read_type(answer, tile));
    own["shape"] = read_type(answer, tile).dims();
    own["map"] =
        tile.indexing.exactness == Exactness::unknown ? Json(nullptr) : Json(to_string(tile.indexing.map));
    own["symbolic"] = tile.tile ? tile_json(*tile.tile) : Json(nullptr);
    own["replica"] = tile.replica ? tile_json(*tile.replica) : Json(nullptr);
    own["runtime"] = detail::json_of(tile.indexing)["runtime"];
    own["varying"] = tile.varying;
    if (!answer.outputs.empty()) own["output"] = tile.output;
    const auto joined = is_last(answer, tile) ? answer.together(tile) : std::nullopt;
    if (joined) own["together"] = tile_json(*joined);
    own["exact"] = tile.exact();
    own["reason"] = tile.reason.empty() ? Json(nullptr) : Json(tile.reason);
    tiles.push_back(std::move(own));
  }
  out["tiles"] = std::move(tiles);
  Json traffic = Json::array();
  for (const ArrayTraffic& own : answer.traffic) traffic.push_back(tile_json(own));
  out["traffic"] = std::move(traffic);
  if (answer.search) {
    Json best = Json::array();
    for (const Tiling& t : answer.search->best) best.push_back(tiling_json(t));
    out["search"] = {
        {"budget", *answer.budget},
        {"tried", answer.search->tried},
        {"valid", answer.search->valid},
        {"fitting", answer.search->fitting},
        {"smallest", answer.search->smallest ? tiling_json(*answer.search->smallest) : Json(nullptr)},
        {"divisors", answer.search->divisors},
        {"best", std::move(best)}};
  }
  return detail::dump(out);
}

std::string to_text(const SymbolicTile& tile, bool origin) {
  std::string out =
      origin ? to_string(tile)
             : tile_lines(tile, {}, "the domain of the map") + exactness_line(tile) + runtime_lines(tile);
  out.pop_back();
  return out;
}

std::string to_json(const SymbolicTile& tile, int status) {
  Json out = {{"schema", "tessera.tile/1"}, {"status", status}, {"symbolic", tile_json(tile)}};
  return detail::dump(out);
}

}  // namespace tessera
