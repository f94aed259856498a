// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the questions about the distributions of one array share: their inputs, and the options of all.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/question.h"
#include "cli/session.h"
#include "tessera/base/dtype.h"
#include "tessera/reshard/distribution.h"

namespace tessera::cli {

/// The command line of a question.
struct AskedDistribution {
  Inputs inputs;  ///< distributions
  std::vector<std::string> indices;
  std::string shape;
  std::string view;
  std::string to = "mesh";
  std::string notion = "map";
  Index places = 0;
  Index place = -1;
  bool inverse = false;
};

/// The number of places, if --places gives it.
std::optional<Index> places_of(const AskedDistribution& asked);

/// A distribution bound to the array, or the error in it or in the shape.
struct BoundInput {
  std::optional<BoundDistribution> bound = {};
  std::optional<DType> dtype = {};  ///< of the array, if --shape has one
  PrintedAnswer problem = {};
};
/// Reads input number `input`. The inputs are the distributions, the indices, and the values of --place,
/// --view (if given) and --shape.
BoundInput bound_input(const AskedDistribution& asked, const Inputs& inputs, std::size_t input,
                       std::optional<Index> places);

using AskDistribution = PrintedAnswer (*)(const AskedDistribution&, const Inputs&);

/// Adds --shape, --places and the common options, and asks the question.
void finish_question(CLI::App& verb, Session& session, const std::shared_ptr<AskedDistribution>& asked,
                     AskDistribution ask);
/// Adds --place.
void add_place_option(CLI::App& verb, AskedDistribution& asked, const char* what);

inline constexpr const char* kDistribution = "a distribution in any notation";

}  // namespace tessera::cli
