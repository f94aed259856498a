// SPDX-License-Identifier: Apache-2.0
// Distributions as XLA shardings: grids of tiles.
#include "reshard/notations/xla/to_xla.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/index_walk.h"
#include "base/plural.h"
#include "base/try.h"
#include "notation/sharding/iota.h"
#include "reshard/limits.h"
#include "reshard/notations/mesh/to_mesh.h"
#include "tessera/notation/sharding.h"

namespace tessera::detail {
namespace {

// How the nonempty parts of a dimension form a grid of tiles.
struct TiledDim {
  Index extent = 0;
  Index chunk = 0;                 // extent of every tile except the last
  std::vector<std::size_t> parts;  // part numbers by first index; empty parts come last
  std::size_t nonempty = 0;
};

std::string extents_text(const BoundDistribution& bound, std::size_t dim) {
  std::vector<Index> extents;
  for (const DimPart& part : bound.parts(dim)) extents.push_back(part.extent);
  if (extents.size() > 16)
    return fmt::format("{}, ...", fmt::join(extents.begin(), extents.begin() + 16, ", "));
  return fmt::format("{}", fmt::join(extents, ", "));
}

// What cannot be expressed, and the notation of it in errors.
struct Refusing {
  const BoundDistribution& bound;
  std::string_view noun;
};

Failure refuse(const Refusing& what, std::string_view reason, std::string note, std::string witness) {
  return fail(
      Diagnostic{.code = Code::not_representable,
                 .message = fmt::format("no {} expresses this ({})", what.noun, reason),
                 .reason = std::string(reason),
                 .witness = std::move(witness),
                 .notes = {std::move(note)},
                 .help = fmt::format("--to mesh can express it: {}", to_string(to_mesh(what.bound)))});
}

// Describes an index with `x` in dimension `dim` and 0 elsewhere, and its holder.
std::string holder_of(const BoundDistribution& bound, std::size_t dim, Index x) {
  std::vector<Index> index(bound.shape().size(), 0);
  index[dim] = x;
  const auto found = holders(bound, index);
  if (!found || found->empty()) return {};
  return fmt::format("index {} is on place {}", fmt::join(index, ","), (*found)[0].place);
}

// Describes the first index that one flat cut into as many parts puts elsewhere: parts are numbered by their
// first index.
std::string flat_witness(const BoundDistribution& bound, std::size_t dim, const TiledDim& found) {
  const auto parts = bound.parts(dim);
  const Index chunk = ceil_div(found.extent, static_cast<Index>(parts.size()));
  for (std::size_t k = 0; k < found.nonempty; ++k) {
    const DimPart& part = parts[found.parts[k]];
    const Index begin = part.runs[0].lower;
    // The part differs at its beginning, or where the flat part ends.
    const Index flat_end = (begin / chunk + 1) * chunk;
    const bool at_begin = begin / chunk != static_cast<Index>(k);
    if (!at_begin && part.extent <= flat_end - begin) continue;
    const Index x = at_begin ? begin : flat_end;
    return fmt::format("{}, in part {} of dimension {}; one flat cut puts it in part {}",
                       holder_of(bound, dim, x), k, dim, x / chunk);
  }
  return {};
}

// The result of one flat cut of `extent` into `count` parts, as text.
std::string flat_text(Index extent, std::size_t count) {
  std::vector<Index> extents;
  const Index chunk = ceil_div(extent, static_cast<Index>(count));
  for (std::size_t s = 0; s < std::min<std::size_t>(count, 16); ++s) {
    extents.push_back(std::clamp<Index>(extent - static_cast<Index>(s) * chunk, 0, chunk));
  }
  return fmt::format("{}{}", fmt::join(extents, ", "), count > 16 ? ", ..." : "");
}

Result<std::vector<TiledDim>> tiled_dims(const Refusing& what) {
  const BoundDistribution& bound = what.bound;
  const std::size_t rank = bound.shape().size();
  std::vector<TiledDim> dims(rank);
  // Of an array without elements, every place holds none, however a dimension is cut.
  const bool none = std::ranges::find(bound.shape(), Index{0}) != bound.shape().end();
  for (std::size_t d = 0; d < rank && !none; ++d) {
    const auto parts = bound.parts(d);
    for (const DimPart& part : parts) {
      if (part.extent == 0) continue;
      const IndexRun& run = part.runs[0];
      if (part.runs.size() == 1 && run.count == 1) continue;
      const Index second = run.count > 1 ? run.lower + run.step : part.runs[1].lower;
      return refuse(
          what, "runs",
          fmt::format("in dimension {} a shard is more than one run of indices: {}", d, to_string(run)),
          holder_of(bound, d, second));
    }
  }
  for (std::size_t d = 0; d < rank; ++d) {
    const auto parts = bound.parts(d);
    TiledDim& dim = dims[d];
    dim.extent = bound.shape()[d];
    for (std::size_t p = 0; p < parts.size(); ++p) {
      if (parts[p].extent > 0) dim.parts.push_back(p);
    }
    dim.nonempty = dim.parts.size();
    std::ranges::stable_sort(dim.parts, {}, [&](std::size_t p) { return parts[p].runs[0].lower; });
    for (std::size_t p = 0; p < parts.size(); ++p) {
      if (parts[p].extent == 0) dim.parts.push_back(p);
    }
    if (none || dim.nonempty == 0) continue;
    dim.chunk = parts[dim.parts[0]].extent;
    for (std::size_t k = 0; k < dim.nonempty; ++k) {
      const Index wanted = std::min(dim.chunk, dim.extent - static_cast<Index>(k) * dim.chunk);
      const DimPart& part = parts[dim.parts[k]];
      const bool fits = part.extent == wanted;
      // Find a number of tiles that gives this chunk: ceil(extent / count) takes few values.
      const Index least = ceil_div(dim.extent, dim.chunk);
      if (fits && ceil_div(dim.extent, least) == dim.chunk) continue;
      return refuse(what, "sizes",
                    fmt::format("dimension {} is cut into {}; one flat cut makes {}", d,
                                extents_text(bound, d), flat_text(dim.extent, parts.size())),
                    flat_witness(bound, d, dim));
    }
  }
  return dims;
}

// The places, one grid cell after another.
struct TileAssignment {
  std::vector<Index> tiles;
  Index copies = 1;
  std::vector<Index> devices;
};

class GridSearch {
 public:
  GridSearch(const BoundDistribution& bound, const std::vector<TiledDim>& dims) : bound_(bound), dims_(dims) {
    const Distribution& from = bound.distribution();
    places_ = from.everywhere ? bound.places() : static_cast<Index>(from.mesh.places.size());
    const bool empty = std::ranges::any_of(dims, [](const TiledDim& dim) { return dim.nonempty == 0; });
    for (std::size_t shard = 0; shard < bound.shards(); ++shard) {
      if (bound.elements(shard) > 0) continue;
      for (const Index place : bound.holders(shard)) idle_.push_back(place);
    }
    if (empty) copies_ = static_cast<Index>(bound.holders(0).size());
    for (std::size_t shard = 0; shard < bound.shards() && !empty; ++shard) {
      if (bound.elements(shard) > 0) copies_ = static_cast<Index>(bound.holders(shard).size());
    }
    std::ranges::sort(idle_);
    empty_ = empty;
  }

  // Every place of the mesh is in the grid, unless one place holds everything, which any program may say. In
  // `held`, only the places that hold something are.
  std::optional<TileAssignment> run() {
    // First try the counts of the mesh itself, if they give the same tiles.
    std::vector<Index> own;
    std::vector<Index> nonempty;
    bool fits = true;
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      own.push_back(static_cast<Index>(bound_.parts(d).size()));
      nonempty.push_back(static_cast<Index>(dims_[d].nonempty));
      fits = fits && ceil_div(dims_[d].extent, own[d]) == dims_[d].chunk;
    }
    if (empty_ || fits) return grid_of(own);
    std::vector<Index> tiles;
    if (places_ % copies_ != 0 || !choose(0, places_ / copies_, tiles)) {
      held = grid_of(nonempty);
      return held->devices.size() == 1 ? held : std::nullopt;
    }
    TileAssignment grid{tiles, copies_, {}};
    std::size_t idle = 0;
    for_each_cell(tiles, [&](const std::vector<Index>& cell) {
      std::size_t shard = 0;
      bool holds = true;
      for (std::size_t d = 0; d < cell.size(); ++d) {
        holds = holds && cell[d] < static_cast<Index>(dims_[d].nonempty);
        if (holds) shard = shard * bound_.parts(d).size() + dims_[d].parts[static_cast<std::size_t>(cell[d])];
      }
      if (holds) {
        const auto places = bound_.holders(shard);
        grid.devices.insert(grid.devices.end(), places.begin(), places.end());
      } else {
        for (Index k = 0; k < copies_; ++k) grid.devices.push_back(idle_[idle++]);
      }
    });
    return grid;
  }

  std::optional<TileAssignment> held;  ///< one tile for each nonempty part, which has the same chunks
  bool gave_up() const { return steps_ > kReshardLimits.tile_steps; }

 private:
  // The grid whose cells are parts: the first `tiles[d]` of each dimension.
  TileAssignment grid_of(const std::vector<Index>& tiles) const {
    TileAssignment grid{tiles, copies_, {}};
    for_each_cell(tiles, [&](const std::vector<Index>& cell) {
      std::size_t shard = 0;
      for (std::size_t d = 0; d < cell.size(); ++d) {
        shard = shard * bound_.parts(d).size() + dims_[d].parts[static_cast<std::size_t>(cell[d])];
      }
      const auto places = bound_.holders(shard);
      grid.devices.insert(grid.devices.end(), places.begin(), places.end());
    });
    return grid;
  }

  // Chooses tile counts with product `left` that give the chunks already found.
  bool choose(std::size_t d, Index left, std::vector<Index>& tiles) {
    if (++steps_ > kReshardLimits.tile_steps) return false;
    if (d == dims_.size()) return left == 1;
    for (Index count = static_cast<Index>(dims_[d].nonempty); count <= left; ++count) {
      if (ceil_div(dims_[d].extent, count) != dims_[d].chunk) break;
      if (left % count != 0) continue;
      tiles.push_back(count);
      if (choose(d + 1, left / count, tiles)) return true;
      tiles.pop_back();
    }
    return false;
  }

  static void for_each_cell(const std::vector<Index>& tiles,
                            const std::function<void(const std::vector<Index>&)>& visit) {
    std::vector<Index> cell(tiles.size(), 0);
    do {
      visit(cell);
    } while (detail::next_index(cell, tiles));
  }

  const BoundDistribution& bound_;
  const std::vector<TiledDim>& dims_;
  Index places_ = 0;
  Index copies_ = 1;
  bool empty_ = false;
  std::vector<Index> idle_;
  int steps_ = 0;
};

std::string xla_text(const TileAssignment& grid) {
  const Index cells = std::accumulate(grid.tiles.begin(), grid.tiles.end(), Index{1}, std::multiplies<>());
  if (cells * grid.copies == 1) return to_string(Sharding::maximal(grid.devices[0]));
  std::vector<Index> assignment = grid.tiles;
  std::vector<SubgroupKind> kinds;
  if (grid.copies > 1) {
    assignment.push_back(grid.copies);
    kinds.push_back(SubgroupKind::replicated);
  }
  const auto iota = iota_of(grid.devices);
  const auto sharding =
      iota ? Sharding::tiled(assignment, *iota, kinds) : Sharding::tiled(assignment, grid.devices, kinds);
  return to_string(*sharding);
}

Result<Distribution> distribution_of(const BoundDistribution& bound, TileAssignment grid) {
  const Distribution& from = bound.distribution();
  // The text uses the numbers before `on` is applied.
  std::vector<Index> numbers(static_cast<std::size_t>(bound.places()), -1);
  for (std::size_t k = 0; k < from.on.size(); ++k)
    numbers[static_cast<std::size_t>(from.on[k])] = static_cast<Index>(k);
  for (Index& device : grid.devices) {
    if (!from.on.empty()) device = numbers[static_cast<std::size_t>(device)];
  }
  const bool uncut = std::ranges::all_of(grid.tiles, [](Index count) { return count == 1; });
  const Index all = from.on.empty() ? bound.places() : static_cast<Index>(from.on.size());
  const std::string body = uncut && grid.copies == all && all > 1 ? "{replicated}" : xla_text(grid);
  TESSERA_TRY(out, parse_distribution(body));
  out.local = from.local;
  if (from.notation == DistributionNotation::scalapack && !out.local.span) out.local.span = Span{};
  out.on = from.on;
  return std::move(out);
}

}  // namespace

Result<Distribution> to_xla(const BoundDistribution& bound, std::string_view noun) {
  const Refusing what{bound, noun};
  TESSERA_TRY(dims, tiled_dims(what));
  GridSearch search(bound, dims);
  if (auto grid = search.run()) return distribution_of(bound, *std::move(grid));
  const std::size_t places = bound.distribution().mesh.places.size();
  const std::size_t holding = search.held->devices.size();
  TESSERA_TRY(held, distribution_of(bound, *std::move(search.held)));
  const std::string held_text =
      fmt::format("on the {} that hold elements it is {}", plural(holding, "place"), to_string(held));
  if (search.gave_up()) {
    return fail(
        Code::undecided,
        fmt::format("no {} of all {} places was found in {} steps", noun, places, kReshardLimits.tile_steps),
        {}, held_text);
  }
  std::vector<Index> first(bound.shape().size(), 0);
  const auto found = holders(bound, first);
  const std::string witness =
      found && !found->empty()
          ? fmt::format("index {} is on {} of {} places", fmt::join(first, ","), found->size(), places)
          : std::string();
  return fail(Diagnostic{
      .code = Code::not_representable,
      .message = fmt::format("no {} of all {} places expresses this (places)", noun, places),
      .reason = "places",
      .witness = witness,
      .notes = {"the places without elements do not fill a grid of tiles"},
      .help = fmt::format("{}; --to mesh can express it: {}", held_text, to_string(to_mesh(bound)))});
}

}  // namespace tessera::detail
