// SPDX-License-Identifier: Apache-2.0
/// \file
/// The verbs `reshard recipes` and `reshard map`: questions about recipes, without a checkpoint.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "report/recipe_answer.h"
#include "verbs/distribution.h"

namespace tessera::verbs {

/// The size of an axis: `t=8`.
struct AxisSetting {
  std::string name = {};
  Index size = 1;
};
template <>
struct FieldType<AxisSetting> {
  static Result<AxisSetting> read(std::string_view text);
  static Json schema() { return {{"type", "string"}}; }
};

struct RecipeFields {
  std::string recipe = {};
  std::vector<AxisSetting> set = {};
  std::string config = {};
};
struct ReshardRecipesRequest : RecipeFields {};
struct ReshardMapRequest : RecipeFields {
  std::string tensor = {};
  std::optional<Index> place = {};
  std::optional<Given<Dimensions>> shape = {};
};

template <class R, class Visit>
void visit_axis_fields(Visit&& visit) {
  visit(Field{.name = "set", .value = "NAME=VALUE", .help = "the size of an axis of the recipe"}, &R::set);
  visit(Field{.name = "config", .value = "FILE", .help = "the config.json of a model, for the sizes of axes"},
        &R::config);
}

template <>
struct Description<ReshardRecipesRequest> {
  static constexpr std::string_view name = "reshard recipes";
  static constexpr std::string_view help = "the built-in recipes, or the axes of one recipe";
  static constexpr bool marks_line = true;
  static constexpr std::string_view footer =
      R"(With a recipe: each axis with its size and the texts that give it, ? if the source or --set must give it.

Examples:
  tessera reshard recipes
  tessera reshard recipes qkv-fuse --set t=2 --set g=4 --set h=2 --set d=8 --set n=64)";
  template <class Visit>
  static void fields(Visit&& visit) {
    using R = ReshardRecipesRequest;
    visit(Field{.name = "recipe",
                .help = "a built-in recipe, or a recipe in a file",
                .argument = true,
                .optional = true},
          &R::recipe);
    visit_axis_fields<R>(visit);
  }
};

template <>
struct Description<ReshardMapRequest> {
  static constexpr std::string_view name = "reshard map";
  static constexpr std::string_view help = "where a recipe takes the elements of a new tensor from";
  static constexpr bool marks_line = true;
  static constexpr std::string_view footer =
      R"(Needs no files. For each shard: its shape, then maps from the index in the shard to the index in the tensor
of the source. The domains of the maps are disjoint; cells outside them have no element and become 0.

Examples:
  tessera reshard map qkv-fuse model.layers.0.self_attn.qkv_proj.weight --set g=2 --set h=2 --set d=4 --set n=8
  tessera reshard map tp lm_head.weight --set from=4 --set to=2 --shape 16,8 --place 1)";
  template <class Visit>
  static void fields(Visit&& visit) {
    using R = ReshardMapRequest;
    visit(Field{.name = "recipe", .help = "a built-in recipe, or a recipe in a file", .argument = true},
          &R::recipe);
    visit(Field{.name = "tensor", .help = "the name of the new tensor", .argument = true}, &R::tensor);
    visit(Field{.name = "place", .value = "P", .help = "only the shard of this place"}, &R::place);
    visit(Field{.name = "shape",
                .value = "DIMS",
                .help = "the shape of a tensor that the recipe copies or only cuts"},
          &R::shape);
    visit_axis_fields<R>(visit);
  }
};

/// All recipes, or the axes of one.
class ReshardRecipesResult : public VerbAnswer {
 public:
  using Value = std::variant<std::vector<RecipeAnswer>, RecipeAnswer>;
  explicit ReshardRecipesResult(Value value) : value_(std::move(value)) {}

  int status() const override;
  Result<std::string> to_text(const Terminal& terminal) const override;
  Result<std::string> to_json() const override;

 private:
  Value value_;
};

/// The sources of a new tensor.
class ReshardMapResult : public VerbAnswer {
 public:
  ReshardMapResult(std::string recipe, std::vector<transfer::TensorSources> tensors)
      : recipe_(std::move(recipe)), tensors_(std::move(tensors)) {}

  int status() const override;
  Result<std::string> to_text(const Terminal& terminal) const override;
  Result<std::string> to_json() const override;

 private:
  std::string recipe_;
  std::vector<transfer::TensorSources> tensors_;
};

/// A recipe, and the sizes of its axes that `set` gives.
struct NamedRecipe {
  std::string text;
  std::map<std::string, Index, std::less<>> set = {};
  bool is_builtin = false;
};
/// The recipe in a file, or the built-in one. Errors: duplicate_name and unknown_name (`set`); those of the
/// file.
Result<NamedRecipe> named_recipe(const std::string& recipe, const std::vector<AxisSetting>& set);

/// Errors: those of named_recipe, of parse_recipe, and of the axes.
Result<ReshardRecipesResult> reshard_recipes(const ReshardRecipesRequest& request, Observer& observer);
/// Errors: also those of element_map.
Result<ReshardMapResult> reshard_map(const ReshardMapRequest& request, Observer& observer);

}  // namespace tessera::verbs
