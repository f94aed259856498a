// SPDX-License-Identifier: Apache-2.0
#include "reshard/notations/torch/torch_search.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/index_walk.h"
#include "base/plural.h"
#include "reshard/limits.h"
#include "reshard/notations/torch/torch_mesh.h"
#include "reshard/place_mesh.h"

namespace tessera::detail {
namespace {

using IndexSet = std::vector<Index>;

IndexSet indices_of(const DimPart& part) {
  IndexSet out;
  for (const IndexRun& run : part.runs) {
    for (Index k = 0; k < run.count; ++k) {
      for (Index i = 0; i < run.length; ++i) out.push_back(run.lower + k * run.step + i);
    }
  }
  std::ranges::sort(out);
  return out;
}

// A mesh dimension that cuts: `pieces` of _StridedShard, or 0 for Shard.
struct Cut {
  Index size = 1;
  Index pieces = 0;
};

// The cuts of one dimension of an array, and the part of each coordinate; -1: it holds no index.
struct DimCuts {
  std::vector<Cut> cuts = {};
  std::vector<std::ptrdiff_t> part_of = {};
};

class DimSearch {
 public:
  DimSearch(std::span<const DimPart> parts, Index extent, int& budget) : extent_(extent), budget_(budget) {
    for (std::size_t k = 0; k < parts.size(); ++k) {
      IndexSet indices = indices_of(parts[k]);
      if (!indices.empty()) wanted_.emplace(std::move(indices), static_cast<std::ptrdiff_t>(k));
    }
  }

  Index parts() const { return std::ssize(wanted_); }

  // The cuts over the fewest ranks, at most `most`.
  std::optional<DimCuts> run(Index most) {
    for (Index ranks = parts(); ranks <= most && !found_; ++ranks) extend({}, ranks);
    return found_;
  }

 private:
  void extend(std::vector<Cut> cuts, Index ranks) {
    if (found_ || budget_ <= 0) return;
    if (ranks == 1) return check(cuts);
    for (Index size = 2; size <= ranks; ++size) {
      if (ranks % size != 0) continue;
      for (Index pieces = 0; pieces <= extent_ && !found_ && budget_ > 0; ++pieces) {
        if (pieces == 1) continue;  // the same as Shard
        cuts.push_back({size, pieces});
        extend(cuts, ranks / size);
        cuts.pop_back();
      }
    }
  }

  void check(const std::vector<Cut>& cuts) {
    --budget_;
    Distribution candidate{.notation = DistributionNotation::torch, .rank = 1};
    std::vector<MeshAxis> axes;
    for (std::size_t k = 0; k < cuts.size(); ++k) axes.push_back({fmt::format("m{}", k), cuts[k].size});
    auto mesh = make_mesh(std::move(axes), {});
    if (!mesh) return;
    candidate.mesh = *std::move(mesh);
    for (std::size_t k = 0; k < cuts.size(); ++k) {
      candidate.cuts.push_back({.dim = 0,
                                .axes = {k},
                                .rule = cuts[k].pieces == 0 ? CutRule::ceil : CutRule::strided,
                                .size = std::max<Index>(cuts[k].pieces, 1)});
    }
    Index ranks = 1;
    for (const Cut& cut : cuts) ranks *= cut.size;
    const auto bound = bind_distribution(candidate, {extent_}, ranks);
    if (!bound) return;
    DimCuts out{.cuts = cuts};
    std::map<std::ptrdiff_t, int> seen;
    for (Index rank = 0; rank < ranks; ++rank) {
      const auto shard = bound->shard_of(rank);
      const IndexSet indices = shard ? indices_of(bound->parts(0)[bound->part({*shard, 0})]) : IndexSet();
      const auto part = wanted_.find(indices);
      if (part == wanted_.end() && !indices.empty()) return;
      out.part_of.push_back(indices.empty() ? -1 : part->second);
      if (!indices.empty() && ++seen[part->second] > 1) return;
    }
    if (std::ssize(seen) == parts()) found_ = std::move(out);
  }

  std::map<IndexSet, std::ptrdiff_t> wanted_;
  Index extent_;
  int& budget_;
  std::optional<DimCuts> found_;
};

// Two shards with different numbers of holders; or the number that all have.
struct Holders {
  Index count = 0;
  std::optional<std::string> witness = {};
};

Holders holders_of(const BoundDistribution& bound) {
  Holders out;
  for (std::size_t shard = 0; shard < bound.shards(); ++shard) {
    if (bound.elements(shard) == 0) continue;
    const Index count = std::ssize(bound.holders(shard));
    if (out.count == 0) out.count = count;
    if (count == out.count) continue;
    std::vector<Index> index;
    for (std::size_t d = 0; d < bound.shape().size(); ++d)
      index.push_back(bound.parts(d)[bound.part({shard, d})].runs.front().lower);
    out.witness = fmt::format(
        "the first element is on {}, but element ({}) is on {}; all elements of a DTensor "
        "have as many holders",
        plural(out.count, "place"), fmt::join(index, ", "), count);
    return out;
  }
  return out;
}

std::string text_of(const BoundDistribution& bound, const std::vector<DimCuts>& dims, Index copies) {
  TorchMesh torch;
  std::vector<Index> extents;
  std::vector<std::string> placements;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    for (const Cut& cut : dims[d].cuts) {
      extents.push_back(cut.size);
      placements.push_back(cut.pieces == 0 ? fmt::format("Shard(dim={})", d)
                                           : fmt::format("_StridedShard(dim={}, sf={})", d, cut.pieces));
    }
  }
  if (copies > 1 || extents.empty()) {
    extents.push_back(copies);
    placements.emplace_back("Replicate()");
  }
  for (std::size_t k = 0; k < extents.size(); ++k)
    torch.mesh.axes.push_back({fmt::format("m{}", k), extents[k]});
  std::vector<Index> idle;
  for (Index place = 0; place < bound.places(); ++place) {
    const auto shard = bound.shard_of(place);
    if (!shard || bound.elements(*shard) == 0) idle.push_back(place);
  }
  std::vector<std::size_t> next(bound.shards(), 0);
  std::size_t next_idle = 0;
  std::vector<Index> at(extents.size(), 0);
  do {
    std::size_t axis = 0;
    std::size_t shard = 0;
    bool holds = true;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      Index rank = 0;
      for (const Cut& cut : dims[d].cuts) rank = rank * cut.size + at[axis++];
      const std::ptrdiff_t part = dims[d].part_of[static_cast<std::size_t>(rank)];
      holds = holds && part >= 0;
      shard = shard * bound.parts(d).size() + static_cast<std::size_t>(std::max<std::ptrdiff_t>(part, 0));
    }
    torch.mesh.places.push_back(holds ? bound.holders(shard)[next[shard]++] : idle[next_idle++]);
  } while (next_index(at, extents));
  return fmt::format("{} [{}]", torch_mesh_text(torch), fmt::join(placements, ", "));
}

}  // namespace

TorchSearch search_torch(const BoundDistribution& bound) {
  const std::span<const Index> shape = bound.shape();
  if (std::ranges::any_of(shape,
                          [](Index extent) { return extent == 0 || extent > kReshardLimits.torch_indices; }))
    return {};
  const Holders holders = holders_of(bound);
  if (holders.witness) return {.witness = holders.witness};
  int budget = kReshardLimits.torch_sequences;
  std::vector<DimSearch> searches;
  Index least = holders.count;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    searches.emplace_back(bound.parts(d), shape[d], budget);
    least *= searches.back().parts();
  }
  std::vector<DimCuts> dims;
  Index ranks = holders.count;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const Index most = bound.places() / (least / searches[d].parts());
    auto found = searches[d].run(most);
    if (budget <= 0) return {};
    if (!found) {
      return {.witness =
                  fmt::format("no sequence of Shard and _StridedShard over at most {} cuts the {} indices "
                              "of dimension {} into these {}",
                              plural(most, "rank"), shape[d], d, plural(searches[d].parts(), "part"))};
    }
    ranks *= std::ssize(found->part_of);
    dims.push_back(*std::move(found));
  }
  if (ranks > bound.places()) {
    return {.witness = fmt::format("the placements need {}, but there are {}", plural(ranks, "rank"),
                                   bound.places())};
  }
  return {.text = text_of(bound, dims, holders.count)};
}

}  // namespace tessera::detail
