// SPDX-License-Identifier: Apache-2.0
/// \file
/// The arguments of `reshard`: an array and its distributions.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/session.h"
#include "tessera/base/dtype.h"
#include "tessera/base/result.h"
#include "tessera/reshard/distribution.h"

namespace tessera::cli {

/// An array, and the distributions before and after, as given on the command line.
struct ReshardSides {
  std::string from;
  std::string to;
  std::string shape;
  std::string view;
  Index places = 0;
};

/// Adds --from, --to, --shape, --view and --places.
void add_side_options(CLI::App& verb, ReshardSides& sides);

/// The value of --shape.
struct TypedShape {
  std::optional<DType> dtype = {};
  std::vector<Index> shape = {};
};
/// Reads `f32[16,16]`, or dimensions without a type: `16,16`, `16x16`, `(16,16)`. Errors: syntax,
/// number_range, those of a type.
Result<TypedShape> parse_typed_shape(std::string_view text);

/// The number of places that a distribution names: the largest place number plus 1. Empty if the distribution
/// uses all places.
std::optional<Index> place_count(const Distribution& distribution);

/// Both sides of an array.
struct BoundSides {
  DType dtype = DType::f32;
  BoundDistribution from;
  BoundDistribution to;
};
/// Reads the options. Empty after an error, which is reported and sets `status`.
std::optional<BoundSides> read_sides(Session& session, const ReshardSides& sides, int& status);

}  // namespace tessera::cli
