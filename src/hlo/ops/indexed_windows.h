// SPDX-License-Identifier: Apache-2.0
/// \file
/// Windows of an array at starts given by index vectors, as gather and scatter have them.
#pragma once

#include <span>
#include <vector>

#include "hlo/module/as_size.h"
#include "hlo/ops/rule.h"
#include "tessera/base/result.h"

namespace tessera::detail {

/// No such dimension or component.
inline constexpr Index kNoDim = -1;

/// The windows of a gather or scatter. The spread array (the result of a gather, the updates of a scatter)
/// has the dimensions of the indices, except the index vector, and the dimensions of the windows.
struct Windows {
  std::vector<Index> operand = {};
  std::vector<Index> indices = {};
  std::vector<Index> spread = {};
  std::vector<Index> size = {};  ///< by operand dimension: the window's extent
  std::vector<Index> window_dim =
      {};  ///< by operand dimension: its dimension in the spread array; kNoDim if windows do not have it
  std::vector<Index> batch_dim =
      {};  ///< by operand dimension: the spread dimension that indexes it, or kNoDim
  std::vector<Index> component = {};   ///< by operand dimension: the component of the index vector, or kNoDim
  std::vector<Index> batch_dims = {};  ///< spread dimensions that index the indices, in order
  Index vector_dim = 0;  ///< dimension of the index vectors; the rank of the indices if they are scalars
  bool clamped = true;

  bool scalar_indices() const { return as_size(vector_dim) == indices.size(); }
};

/// The attributes of an opcode that describe its windows.
struct WindowNames {
  const char* windows;  ///< lists the spread dimensions of the windows
  const char* dropped;  ///< lists the operand dimensions that windows do not have
  const char* operand_batch;
  const char* indices_batch;
  const char* components;  ///< lists the operand dimension of each component
};

/// What the attributes say besides what becomes part of the windows.
struct WindowRoles {
  std::vector<Index> operand_batch = {};  ///< operand dimensions, in pairs with the next list
  std::vector<Index> indices_batch = {};
  std::vector<Index> batch_extents = {};  ///< of the indices without the vector dimension
  std::vector<bool> missing = {};         ///< by operand dimension: windows do not have it
};

/// Reads everything about the windows but their sizes; `array` is the operand number of the indices.
Problem read_roles(const OpReader& reader, const WindowNames& names, std::size_t array, WindowRoles& roles,
                   Windows& w);
/// Gives the windows, which have sizes, their dimensions in the spread array. `window_dims` lists them.
Problem place_windows(const OpReader& reader, const WindowNames& names, std::span<const Index> window_dims,
                      const WindowRoles& roles, Windows& w);

/// The index, in the array of indices, of component `p` at these batch coordinates.
std::vector<Expr> index_element(const Windows& w, std::span<const Expr> batch, Expr p);

/// Declares where windows start, by operand dimension; 0 in dimensions that no component indexes.
std::vector<Expr> declare_starts(MapBuilder& map, const Windows& w, const Operand& source,
                                 std::span<const Expr> batch);

/// Maps an index of the spread array to the element of the operand.
Indexing spread_to_operand(const Windows& w, const Operand& indices);

/// Maps an index of the operand to the spread array: the element's place in every window that holds it.
Indexing operand_to_spread(const Windows& w, const Operand& indices);

}  // namespace tessera::detail
