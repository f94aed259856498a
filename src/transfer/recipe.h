// SPDX-License-Identifier: Apache-2.0
/// \file
/// Recipes: how the tensors of one checkpoint become those of another.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reshard/pieces/pieces.h"
#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/notation/named_layout.h"
#include "transfer/name_pattern.h"

namespace tessera::transfer {

/// A tensor on one side of a rule: `*` (unchanged), `t @ *` (a copy for each t), an axis expression, or an
/// axis expression with a distribution.
struct RecipeTensor {
  NamePattern name;
  std::string axes;
  std::string sharding = {};
  std::string layout = {};  ///< the name of the order of its cells: `pack:awq`; empty: row-major
  std::string type = {};    ///< of a cell, with `layout`: `u4`
  Index bits = 0;           ///< of a cell of the axes, if a stored element packs several cells; otherwise 0
  Span place = {};          ///< position of the name in the recipe
};

/// The layout of a tensor that has one, for an array of this shape. Errors: those of parse_named_layout.
Result<NamedLayout> named_layout(const RecipeTensor& tensor, std::span<const Index> shape);

struct RecipeRule {
  std::vector<RecipeTensor> from;
  std::vector<RecipeTensor> to;
  PieceCopies copies = {};
  bool rest = false;  ///< for the tensors that the recipe is not about, as is a rule for `{*name}`

  /// Whether the rule takes tensors that the recipe is about.
  bool is_content() const;
  /// `a, b -> c`.
  std::string text() const;
};

/// An axis: one or more texts, all of which must give the same size.
struct RecipeAxis {
  std::string name;
  std::vector<std::string> texts;
};

struct Recipe {
  std::string name = {};
  std::vector<RecipeAxis> axes = {};
  std::string from_files = {};
  std::string to_files = {};
  std::vector<RecipeRule> rules = {};
  std::vector<NamePattern> drop = {};
};

/// Reads `{"schema": "tessera.recipe/1", "axes": {...}, "files": {...}, "tensors": [...], ...}`. Errors, with
/// a span in `text`: syntax, unknown_name (a key), duplicate_name (a repeated key), bad_option (a value of
/// the wrong kind), missing_attribute.
Result<Recipe> parse_recipe(std::string_view text);

/// The recipe that moves every tensor from one distribution to another. An empty text means that each tensor
/// is whole, in one file.
Result<Recipe> distribution_recipe(std::string_view from, std::string_view to);

}  // namespace tessera::transfer
