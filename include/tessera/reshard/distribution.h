// SPDX-License-Identifier: Apache-2.0
/// \file
/// Distributions: which places (ranks of a job, files of a checkpoint) hold each element of an array, and
/// where each keeps it. Read and printed as XLA, JAX, PyTorch, ScaLAPACK and Shardy write them, and in a
/// notation that can express them all.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/map/judge.h"
#include "tessera/notation/layout.h"
#include "tessera/notation/tiled_map.h"

namespace tessera {

/// Every notation of distributions, X(name, whether `convert` writes it). This is the only list of them. Each
/// line names a folder of src/reshard/notations, where `<name>_distribution()` says how to read and write it.
#define TESSERA_DISTRIBUTION_NOTATIONS(X)                                   \
  X(xla, true)        /* {devices=[2,4]<=[8]} */                            \
  X(jax, true)        /* Mesh('x': 4) P('x') */                             \
  X(torch, true)      /* DeviceMesh((4)) [Shard(0)] */                      \
  X(sdy, true)        /* #sdy.sharding<mesh<["x"=4]>, [{"x"}]> */           \
  X(scalapack, false) /* block_cyclic(mb=64, nb=64, grid=2x4) */            \
  X(mesh, true)       /* mesh[x=4] [x, -], which can express all of them */ \
  X(axe, true)        /* axe:8x4:S[(8,4):(1@dp,1)] */

/// The notation of a distribution: that of a library, or `mesh`, which can express them all.
enum class DistributionNotation : std::uint8_t {
#define TESSERA_NOTATION(name, is_written) name,
  TESSERA_DISTRIBUTION_NOTATIONS(TESSERA_NOTATION)
#undef TESSERA_NOTATION
};
/// All notations in the order of TESSERA_DISTRIBUTION_NOTATIONS.
std::span<const DistributionNotation> all_distribution_notations();
/// The prefix of the notation, without the colon: `torch`.
std::string_view to_string(DistributionNotation notation);
/// The notation with this prefix, if there is one.
std::optional<DistributionNotation> parse_distribution_notation(std::string_view word);

/// An axis of a mesh, and its number of coordinates.
struct MeshAxis {
  std::string name;
  Index size = 1;
  friend bool operator==(const MeshAxis&, const MeshAxis&) = default;
};

/// Named axes and a place for each of their coordinates. Names and places are unique.
struct PlaceMesh {
  std::vector<MeshAxis> axes;
  std::vector<Index> places;  ///< the place of each coordinate, row-major
  friend bool operator==(const PlaceMesh&, const PlaceMesh&) = default;
};

/// The largest number of places of a mesh.
inline constexpr Index kMaxPlaces = Index{1} << 20;
/// The largest number of places that an array may have. Every place number is smaller.
inline constexpr Index kMaxPlaceNumbers = 16 * kMaxPlaces;

/// How a cut divides n indices among S parts. ceil: runs of ceil(n / S). cyclic: blocks dealt out in turn,
/// the first to part `start`. sizes: runs of the given sizes. strided: n is divided into `size` pieces as by
/// ceil, and each piece into S parts as by ceil; part s of the cut is part s of every piece. strided_padded:
/// like strided, but a short last piece is divided like a full one.
enum class CutRule : std::uint8_t { ceil, cyclic, sizes, strided, strided_padded };

/// One division of a dimension among the positions of mesh axes. The position is the row-major index over
/// `axes`. A second cut of a dimension divides the local indices that the first leaves to each place.
struct DimCut {
  Index dim = 0;                  ///< negative: counted from the end
  std::vector<std::size_t> axes;  ///< numbers of mesh axes, the major one first
  CutRule rule = CutRule::ceil;
  Index size = 1;                   ///< the block of cyclic, the number of pieces of strided
  Index start = 0;                  ///< cyclic: the part of the first block
  std::vector<Index> sizes = {};    ///< one for each part
  std::optional<Index> order = {};  ///< the position among the cuts of its dimension, if the text gives it
  Span span = {};                   ///< where in the text
};

/// How a place stores its local array: with the last or the first dimension fastest, in tiles, or as a layout
/// of the whole local array.
struct LocalLayout {
  enum class Storage : std::uint8_t { row, column, tiled, layout };
  Storage storage = Storage::row;
  std::optional<Index> pitch = {};    ///< row, column: the extent of the fastest dimension in memory
  Index least_pitch = 0;              ///< the minimum if there is no `pitch`; ScaLAPACK: 1, because no
                                      ///< leading dimension is 0
  TiledLayout tiled = {};             ///< for Storage::tiled
  std::optional<Layout> layout = {};  ///< for Storage::layout
  bool padded = false;                ///< every place allocates the largest local extents of any place
  std::optional<Span> span = {};      ///< where in the text
};

/// A rule that assigns the indices of an array to places. `bind_distribution` applies it to an array of known
/// shape; before that, it contains only what its text specifies.
struct Distribution {
  DistributionNotation notation = DistributionNotation::mesh;
  PlaceMesh mesh = {};
  std::vector<DimCut> cuts = {};         ///< in the order of application within each dimension
  bool everywhere = false;               ///< XLA's `{replicated}`: every place holds the whole array; the
                                         ///< mesh is empty
  std::optional<std::size_t> rank = {};  ///< of the array, if the text fixes it
  std::size_t least_rank = 0;
  std::vector<Index> shape = {};  ///< of the array, if the text gives it (a ScaLAPACK descriptor, Axe)
  LocalLayout local = {};
  std::vector<Index> on = {};  ///< place k of the mesh is place on[k]; empty: k
  bool assumes_order = false;  ///< the text does not list the devices of its mesh, and its notation lets them
                               ///< have any order (JAX, PyTorch): 0, 1, 2, ... in row-major order is assumed
  std::string body = {};       ///< canonical text without `local` and `on`
};

/// Reads `[prefix:] TEXT [local LAYOUT [padded]] [on PLACES]`, where TEXT is `{devices=[2,4]<=[8]}` (XLA),
/// `Mesh('x': 4) P('x')`, `Mesh('x': 4, device_ids=[3, 1, 2, 0]) P('x')` or `NamedSharding(...)` (JAX),
/// `DeviceMesh((2, 4)) [Shard(0), Replicate()]` or `DeviceMesh([[0, 2], [1, 3]]) [...]` (PyTorch),
/// `#sdy.sharding<mesh<["x"=4]>, [{"x"}]>` (Shardy), `block_cyclic(mb=64, nb=64, grid=2x4)` (ScaLAPACK) or
/// `mesh[x=2,y=4] [x/y, -]`, or an Axe layout `axe:8x4:S[(8,4):(1@dp,1)]`, whose place axes are the mesh.
/// Errors, each with its span: syntax, number_range, device_count (numbers that do not fill the mesh),
/// duplicate_name, unknown_name, index_out_of_range, rank_mismatch (placements), value_count (a descriptor),
/// missing_attribute (a spec without a mesh, a grid), limit (more than kMaxPlaces places), overflow,
/// bad_extent, not_congruent, unknown_type, missing_layout and the other errors of a local layout, iota_perm,
/// and no_static_map with the reason partial, unreduced, manual, unknown, unconstrained or maximal; of an Axe
/// layout those of parse_axe and distribution_of. O(text + places).
Result<Distribution> parse_distribution(std::string_view text);

/// Canonical text in the distribution's notation; parse_distribution reads it back.
std::string to_string(const Distribution& distribution);

/// `count` intervals of `length` indices, `step` apart, and their local indices: interval k consists of
/// `length` indices from lower + k * step on, and starts at local index local + k * local_step. Indices and
/// local indices ascend.
struct IndexRun {
  Index lower = 0;
  Index length = 1;
  Index count = 1;
  Index step = 0;
  Index local = 0;
  Index local_step = 0;
  Index size() const { return length * count; }
  friend bool operator==(const IndexRun&, const IndexRun&) = default;
};

/// The indices of one dimension that a place holds: disjoint runs, ordered by their first index.
struct DimPart {
  std::vector<IndexRun> runs;
  Index extent = 0;  ///< number of indices
};

/// The local array of one place: its size in memory, and the offset of each local index, in elements.
class LocalBuffer {
 public:
  /// The buffer of a local array with this shape; `padded_shape` has the largest local extents of any place.
  /// Errors: those of bind_distribution that concern the local layout.
  static Result<LocalBuffer> make(const LocalLayout& local, std::span<const Index> shape,
                                  std::span<const Index> padded_shape);
  Index size() const { return size_; }
  /// Requires a local index inside the local shape.
  Index offset(std::span<const Index> local) const;
  Index offset(std::initializer_list<Index> local) const {
    return offset(std::span<const Index>(local.begin(), local.size()));
  }
  /// The strides, if there are no tiles.
  const std::optional<std::vector<Index>>& strides() const { return strides_; }
  /// Whether the offset is a sum of one term for each dimension.
  bool is_separable() const;

 private:
  Index size_ = 0;
  std::optional<std::vector<Index>> strides_;
  std::optional<TiledMap> tiled_;
  bool joins_dims_ = false;  // tiles combine or split dimensions
  std::optional<Layout> layout_;
};

/// A place that holds an element, its index in the place's local array, and its offset in that array's
/// memory.
struct ShardHolder {
  Index place = 0;
  std::vector<Index> local;
  Index offset = 0;
  friend bool operator==(const ShardHolder&, const ShardHolder&) = default;
};

/// One dimension of a shard.
struct ShardDim {
  std::size_t shard = 0;
  std::size_t dim = 0;
};

/// A distribution applied to an array. Every index of `shape` has a holder. Each dimension is cut on its own,
/// so a shard is a product of one part of each dimension; shards are numbered row-major over the parts. The
/// shards partition the array, and each place holds at most one.
class BoundDistribution {
 public:
  const Distribution& distribution() const { return distribution_; }
  std::span<const Index> shape() const { return shape_; }
  /// The number of places, including those that hold nothing.
  Index places() const { return static_cast<Index>(shard_of_.size()); }
  /// The parts of a dimension.
  std::span<const DimPart> parts(std::size_t dim) const { return parts_[dim]; }
  std::size_t shards() const { return holders_.size(); }
  /// The number of the part of a dimension that a shard contains: `part({.shard = 3, .dim = 0})`.
  std::size_t part(ShardDim of) const { return of.shard / shard_strides_[of.dim] % parts_[of.dim].size(); }
  /// Places of a shard, ascending. A shard may be empty.
  std::span<const Index> holders(std::size_t shard) const { return holders_[shard]; }
  /// The shard of a place, or nothing if the place is not in the distribution.
  std::optional<std::size_t> shard_of(Index place) const;
  Index elements(std::size_t shard) const;
  /// The extents of a place's local array; nothing if the place is not in the distribution.
  std::optional<std::vector<Index>> local_shape(Index place) const;
  /// The memory of a place. Requires a place of the distribution.
  LocalBuffer local_buffer(Index place) const;

 private:
  friend Result<BoundDistribution> bind_distribution(const Distribution&, std::vector<Index>,
                                                     std::optional<Index>);
  std::vector<Index> shard_shape(std::size_t shard) const;

  Distribution distribution_;
  std::vector<Index> shape_;
  std::vector<std::vector<DimPart>> parts_;
  std::vector<std::size_t> shard_strides_;
  std::vector<std::vector<Index>> holders_;
  std::vector<std::ptrdiff_t> shard_of_;  // of each place; -1: none
  std::vector<Index> padded_shape_;
};

/// Applies a distribution to an array. `places` is the number of places; by default, the largest place number
/// in the distribution plus 1 (one place for `{replicated}`). Errors: rank_mismatch, dim_out_of_range,
/// bad_permutation (order brackets), shape_mismatch (sizes that do not add up), different_shape (a descriptor
/// or a local layout of another shape), buffer_too_small (a leading dimension is too small), negative_dim,
/// number_range (`places` < 1), index_out_of_range (a place beyond `places`; an axis, part or place that does
/// not exist), device_count, value_count and bad_extent (a distribution that was not read from text and does
/// not fit together), overflow, limit, those of the local layout. O(places + runs).
Result<BoundDistribution> bind_distribution(const Distribution& distribution, std::vector<Index> shape,
                                            std::optional<Index> places = {});

/// The holders of an element, by place. Errors: rank_mismatch, index_out_of_range.
Result<std::vector<ShardHolder>> holders(const BoundDistribution& distribution, std::span<const Index> index);

/// The index of the element that a place keeps at a local index: the inverse of `holders`. Errors:
/// index_out_of_range (the place is not in the distribution, or its local array has no such index),
/// rank_mismatch. O(runs of the place).
Result<std::vector<Index>> element_at(const BoundDistribution& distribution, Index place,
                                      std::span<const Index> local);

/// What `equal` compares. holders: the places of each element; map: also their local indices and offsets.
enum class DistributionNotion : std::uint8_t { map, holders };

/// The result of `equal`. `verdict` is undecided only if two local layouts with tiles would have to be
/// compared on more than 2^22 elements of one shard.
struct DistributionEquality {
  Verdict verdict = Verdict::yes;
  std::vector<Index> at = {};  ///< the first index, in row-major order, where they differ
  std::vector<ShardHolder> a = {};
  std::vector<ShardHolder> b = {};
};

/// Compares two distributions of one shape. Errors: different_shape. Exact. O(pairs of shards that meet).
Result<DistributionEquality> equal(const BoundDistribution& a, const BoundDistribution& b,
                                   DistributionNotion notion);

/// A distribution in another notation with the same holders, local indices and offsets for this shape. To
/// mesh: always possible. To xla, jax and sdy: fails with not_representable and a witness, if a shard is not
/// one run of indices (reason runs), the runs are not those of one flat cut (sizes), or the places do not
/// fill a grid (places). To torch: fails with not_representable and a witness if there are no placements
/// (placements), and with undecided if there were too many to try. To scalapack: bad_option.
Result<Distribution> convert(const BoundDistribution& distribution, DistributionNotation to);

/// The distribution of a view: of an array of shape `view` with the same elements in row-major order, each of
/// them on the same places at the same offsets. In mesh notation; mesh axes are split where the view splits
/// the dimension that they cut. Errors: different_shape (another number of elements); not_representable with
/// a witness, if there is none: a place would have to hold elements that do not form a product of index sets
/// (reason product), two places would have to share some but not all indices of a dimension (overlap), or the
/// places do not fill a grid (places); undecided, if no cuts of this notation were found that divide a
/// dimension as the view does, or the local arrays are not row-major and have several shapes (local); limit
/// (more than 2^22 pieces to compare).
Result<Distribution> view_distribution(const BoundDistribution& distribution, std::vector<Index> view);

/// `0:4` for one interval, `0:1 every 4 x 3` for three intervals.
std::string to_string(const IndexRun& run);

}  // namespace tessera
