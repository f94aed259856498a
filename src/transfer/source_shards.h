// SPDX-License-Identifier: Apache-2.0
/// \file
/// A tensor that is distributed over several files of a checkpoint.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "reshard/pieces/pieces.h"
#include "tessera/reshard/distribution.h"
#include "transfer/checkpoint.h"
#include "transfer/recipe.h"

namespace tessera::transfer {

/// A distribution, with the stored tensor of each place that holds a part.
struct SourceShards {
  BoundDistribution on;
  std::map<Index, std::size_t> tensor_of;  ///< place -> number in Checkpoint::tensors
};

/// Reads a distribution over files, whose shards are row-major. Errors: those of parse_distribution, and
/// not_applicable for a local layout.
Result<Distribution> parse_file_distribution(std::string_view text);

/// The shards of the tensor `name` according to `sharding`. If `sharding` is empty, the tensor is whole in
/// one file or, if not `unique`, in each file. The shape of the whole array is computed from the shards.
/// Errors: duplicate_name (in two files), different_shape with the reason not_covered, value_count (places
/// and files), shape_mismatch, different_type.
Result<SourceShards> source_shards(const Checkpoint& source, const std::string& name,
                                   const std::string& sharding, bool unique);

/// The stored tensor of a place, or the only one if there is no place. `axis` gives the value of an axis in
/// the template of the file names, if the place has one. Errors: those of source_shards, and unknown_name
/// (several files may be the place, because an axis of the template has no value).
Result<std::size_t> find_source(const Checkpoint& source, const std::string& name, std::optional<Index> place,
                                const std::function<std::optional<Index>(const std::string&)>& axis);

/// Checks that a stored tensor is row-major and has the shape that its axes say, counted in cells of
/// `form.bits` (0: in elements). Returns its number, or that of its view if `form` names a layout. Errors:
/// unsupported_width, shape_mismatch, not_applicable, those of Checkpoint::add_view.
Result<std::size_t> check_stored(Checkpoint& source, std::size_t number, const PieceTensor& from,
                                 const RecipeTensor& form, Index place);

}  // namespace tessera::transfer
