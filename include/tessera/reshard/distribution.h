// SPDX-License-Identifier: Apache-2.0
/// \file
/// Distributions: which places (ranks of a job, files of a checkpoint) hold each element of an array. Read
/// and printed as XLA, JAX, PyTorch and ScaLAPACK write them, and in a notation that can express them all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/notation/layout.h"

namespace tessera {

enum class DistributionNotation : std::uint8_t { xla, jax, torch, scalapack, mesh };
/// The prefix of the notation, without the colon: `torch`.
std::string_view to_string(DistributionNotation notation);
/// The notation with this prefix, if there is one.
std::optional<DistributionNotation> parse_distribution_notation(std::string_view word);

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
inline constexpr Index kMostPlaces = Index{1} << 20;
/// The largest number of places that an array may have. Every place number is smaller.
inline constexpr Index kMostPlaceNumbers = 16 * kMostPlaces;

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
  enum class Order : std::uint8_t { row, column, tiled, layout };
  Order order = Order::row;
  std::optional<Index> pitch = {};    ///< row, column: the extent of the fastest dimension in memory
  Index least_pitch = 0;              ///< the minimum if there is no `pitch`; ScaLAPACK: 1, because no
                                      ///< leading dimension is 0
  TiledLayout tiled = {};             ///< for Order::tiled
  std::optional<Layout> layout = {};  ///< for Order::layout
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
  std::vector<Index> shape = {};  ///< of the array, if the text gives it (a ScaLAPACK descriptor)
  LocalLayout local = {};
  std::vector<Index> on = {};  ///< place k of the mesh is place on[k]; empty: k
  std::string body = {};       ///< canonical text without `local` and `on`
};

/// Reads `[prefix:] TEXT [local LAYOUT [padded]] [on PLACES]`, where TEXT is `{devices=[2,4]<=[8]}` (XLA),
/// `Mesh('x': 4) P('x')` or `NamedSharding(...)` (JAX), `DeviceMesh((2, 4)) [Shard(0), Replicate()]`
/// (PyTorch), `block_cyclic(mb=64, nb=64, grid=2x4)` (ScaLAPACK) or `mesh[x=2,y=4] [x/y, -]`. Errors, each
/// with its span: syntax, number_range, device_count (numbers that do not fill the mesh), duplicate_name,
/// unknown_name, index_out_of_range, rank_mismatch (placements), value_count (a descriptor),
/// missing_attribute (a spec without a mesh, a grid), limit (more than kMostPlaces places), and no_static_map
/// with the reason partial, unreduced, manual, unknown, unconstrained or maximal. O(text + places).
Result<Distribution> parse_distribution(std::string_view text);

/// Canonical text in the distribution's notation; parse_distribution reads it back.
std::string to_string(const Distribution& distribution);

}  // namespace tessera
