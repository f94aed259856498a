// SPDX-License-Identifier: Apache-2.0
#include "verbs/recipe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/at_fault.h"
#include "report/exit_status.h"
#include "tessera/files/tensor_file.h"
#include "transfer/axis_names.h"
#include "transfer/builtin_recipes.h"
#include "transfer/recipe.h"
#include "transfer/recipe_axes.h"
#include "verbs/byte_size.h"
#include "verbs/program.h"

namespace tessera::verbs {
namespace {

RecipeAnswer builtin_answer(const transfer::BuiltinRecipe& builtin) {
  RecipeAnswer out{.name = std::string(builtin.name), .does = std::string(builtin.does)};
  for (const std::string_view parameter : builtin.parameters) {
    if (!parameter.empty()) out.parameters.emplace_back(parameter);
  }
  return out;
}

Failure refuse_set(std::size_t item, Diagnostic error) {
  error.item = static_cast<std::uint32_t>(item);
  return refuse("set", std::move(error));
}

// Every name must be an axis of the recipe, or a parameter of the built-in one.
Result<void> check_names(const std::string& recipe, const std::vector<AxisSetting>& set,
                         const NamedRecipe& named) {
  std::vector<std::string> known;
  if (!named.text.empty()) {
    const auto parsed = transfer::parse_recipe(named.text);
    if (!parsed) return {};  // reported where the recipe is used
    known = transfer::axis_names(*parsed);
  }
  for (const transfer::BuiltinRecipe& builtin : transfer::builtin_recipes()) {
    if (builtin.name != recipe || !named.is_builtin) continue;
    for (const std::string_view parameter : builtin.parameters) {
      if (!parameter.empty()) known.emplace_back(parameter);
    }
  }
  std::ranges::sort(known);
  known.erase(std::ranges::unique(known).begin(), known.end());
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (const auto done = transfer::check_set(known, {{set[i].name, 1}}); !done)
      return refuse_set(i, done.error());
  }
  return {};
}

std::string text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

struct ReadRecipe {
  NamedRecipe named;
  transfer::Recipe recipe;
  std::string config;
};

Result<ReadRecipe> read_recipe(const RecipeFields& request, Observer& observer) {
  std::string config;
  if (!request.config.empty()) {
    auto file = MappedFile::open(request.config);
    if (!file) return refuse("config", std::move(file.error()));
    config = text_of(*file);
  }
  auto named = named_recipe(request.recipe, request.set);
  if (!named) return fail(std::move(named.error()));
  auto recipe = transfer::parse_recipe(named->text);
  if (recipe) return ReadRecipe{*std::move(named), *std::move(recipe), std::move(config)};
  return in_file(observer, std::move(recipe.error()),
                 std::make_shared<const Source>(request.recipe, named->text));
}

Result<RecipeAnswer> axes_of(const RecipeFields& request, Observer& observer) {
  const auto read = read_recipe(request, observer);
  if (!read) return fail(read.error());
  const transfer::Recipe& recipe = read->recipe;
  RecipeAnswer out{.name = recipe.name.empty() ? request.recipe : recipe.name};
  for (const transfer::BuiltinRecipe& builtin : transfer::builtin_recipes()) {
    if (read->named.is_builtin && builtin.name == request.recipe) out = builtin_answer(builtin);
  }
  auto sizes = transfer::RecipeAxes::make(recipe, read->config, {}, read->named.set);
  if (!sizes) return refuse("recipe", std::move(sizes.error()));
  for (const std::string& name : transfer::axis_names(recipe)) {
    ListedAxis axis{.name = name, .texts = {}};
    const auto declared = std::ranges::find(recipe.axes, name, &transfer::RecipeAxis::name);
    if (declared != recipe.axes.end()) axis.texts = declared->texts;
    if (const AxisSize* size = sizes->sizes.find(name)) axis.size = size->size;
    if (const auto why = sizes->missing.find(name); why != sizes->missing.end())
      axis.why = why->second.message;
    out.axes.push_back(std::move(axis));
  }
  for (const transfer::RecipeRule& rule : recipe.rules) out.rules.push_back(rule.text());
  return out;
}

}  // namespace

Result<AxisSetting> FieldType<AxisSetting>::read(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::optional<Index> value =
      equals == std::string_view::npos ? std::nullopt : parse_byte_size(text.substr(equals + 1));
  if (!value || equals == 0)
    return fail(Code::bad_option, fmt::format("'{}' is not NAME=VALUE", text), {},
                "name an axis and its size: --set NAME=VALUE");
  if (*value < 1)
    return fail(Code::bad_option,
                fmt::format("'{}' gives an axis the size {}, but it must be at least 1", text, *value), {},
                "leave it out, or give a size of 1 or more");
  return AxisSetting{std::string(text.substr(0, equals)), *value};
}

Result<NamedRecipe> named_recipe(const std::string& recipe, const std::vector<AxisSetting>& set) {
  NamedRecipe out;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (!out.set.emplace(set[i].name, set[i].size).second)
      return refuse_set(i, {.code = Code::duplicate_name,
                            .message = fmt::format("--set gives the size of '{}' twice", set[i].name),
                            .help = "leave one of them out"});
  }
  auto builtin = transfer::builtin_recipe(recipe, out.set);
  if (!builtin) {
    out.is_builtin = true;
    // A parameter out of its range leaves no recipe whose axes could be known.
    const auto at = std::ranges::find(set, "fused", &AxisSetting::name);
    if (builtin.error().field == "set" && at != set.end())
      return refuse_set(static_cast<std::size_t>(at - set.begin()), std::move(builtin.error()));
    if (auto checked = check_names(recipe, set, out); !checked) return fail(std::move(checked.error()));
    return refuse("recipe", std::move(builtin.error()));
  }
  out.text = *std::move(builtin);
  out.is_builtin = !out.text.empty();
  if (!out.is_builtin) {
    auto file = MappedFile::open(recipe);
    if (!file) {
      std::vector<std::string> names;
      for (const transfer::BuiltinRecipe& one : transfer::builtin_recipes()) names.emplace_back(one.name);
      file.error().help = fmt::format("the built-in recipes are {}", fmt::join(names, ", "));
      return refuse("recipe", std::move(file.error()));
    }
    out.text = text_of(*file);
    if (out.text.empty()) out.text = " ";
  }
  if (auto checked = check_names(recipe, set, out); !checked) return fail(std::move(checked.error()));
  return out;
}

int ReshardRecipesResult::status() const { return kDone; }

Result<std::string> ReshardRecipesResult::to_text(const Terminal& /*terminal*/) const {
  return std::visit([](const auto& value) { return tessera::to_text(value); }, value_);
}

Result<std::string> ReshardRecipesResult::to_json() const {
  return std::visit([](const auto& value) { return tessera::to_json(value); }, value_);
}

int ReshardMapResult::status() const { return kDone; }

Result<std::string> ReshardMapResult::to_text(const Terminal& /*terminal*/) const {
  return tessera::to_text(tensors_);
}

Result<std::string> ReshardMapResult::to_json() const { return tessera::to_json(recipe_, tensors_); }

Result<ReshardRecipesResult> reshard_recipes(const ReshardRecipesRequest& request, Observer& observer) {
  if (!request.recipe.empty()) {
    auto axes = axes_of(request, observer);
    if (!axes) return fail(std::move(axes.error()));
    return ReshardRecipesResult(*std::move(axes));
  }
  for (const auto& [given, field] :
       {std::pair(!request.set.empty(), "set"), std::pair(!request.config.empty(), "config")}) {
    if (given)
      return refuse(field, Code::bad_option, fmt::format("--{} needs a recipe", field),
                    "name one: tessera reshard recipes qkv-fuse");
  }
  std::vector<RecipeAnswer> all;
  for (const transfer::BuiltinRecipe& builtin : transfer::builtin_recipes())
    all.push_back(builtin_answer(builtin));
  return ReshardRecipesResult(std::move(all));
}

Result<ReshardMapResult> reshard_map(const ReshardMapRequest& request, Observer& observer) {
  auto read = read_recipe(request, observer);
  if (!read) return fail(std::move(read.error()));
  transfer::ElementMapQuestion question{.tensor = request.tensor, .place = request.place};
  question.config = std::move(read->config);
  question.set = read->named.set;
  if (request.shape) question.shape = request.shape->value.extents;
  auto tensors = transfer::element_map(read->recipe, question);
  if (tensors) return ReshardMapResult(request.recipe, *std::move(tensors));
  return fail(detail::at_fault("tensor", std::move(tensors.error())));
}

}  // namespace tessera::verbs
