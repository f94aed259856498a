// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where a recipe takes the elements of a new tensor from, without files.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/map/index_map.h"
#include "transfer/limits.h"
#include "transfer/recipe.h"

namespace tessera::transfer {

/// Elements of a new tensor that come from one stored tensor.
struct ElementSource {
  std::string piece;           ///< the labels of the piece, joined with '.'
  std::string tensor;          ///< the tensor of the source
  std::optional<Index> place;  ///< its place, if the source is distributed
  IndexMap map;                ///< from the index in the new tensor, or in its shard, to that in the source
};

/// A new tensor, or its shard at one place.
struct TensorSources {
  std::string tensor;
  std::optional<Index> place;
  std::vector<Index> shape;
  std::vector<ElementSource> sources;  ///< their domains are disjoint
  Index padding = 0;                   ///< cells that have no element
};

/// What to ask about a recipe.
struct ElementMapQuestion {
  std::string tensor;                                  ///< the name of the new tensor
  std::optional<Index> place = {};                     ///< only this shard
  std::optional<std::vector<Index>> shape = {};        ///< of tensors that the recipe copies as they are
  std::string config = {};                             ///< the text of config.json, or empty
  std::map<std::string, Index, std::less<>> set = {};  ///< sizes of axes
};

/// For each place of the new tensor: the maps from its indices to those of the source. Errors: unknown_name
/// (no rule makes such a tensor, or an axis has no size), missing_attribute (`shape`), index_out_of_range
/// (the place), limit (more than kTransferLimits.element_maps), those of axes, axis expressions and
/// distributions. Exact.
Result<std::vector<TensorSources>> element_map(const Recipe& recipe, const ElementMapQuestion& question);

}  // namespace tessera::transfer
