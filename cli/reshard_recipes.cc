// SPDX-License-Identifier: Apache-2.0
// `tessera reshard recipes` and `tessera reshard map`: questions about recipes, without a checkpoint.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "cli/help.h"
#include "cli/recipe_option.h"
#include "cli/reshard_verbs.h"
#include "cli/tensor_options.h"
#include "cli/verbs.h"
#include "report/recipe_answer.h"
#include "tessera/files/tensor_file.h"
#include "text/point.h"
#include "transfer/axis_names.h"
#include "transfer/builtin_recipes.h"
#include "transfer/recipe.h"
#include "transfer/recipe_axes.h"

namespace tessera::cli {
namespace {

struct AskedRecipe {
  std::string recipe;
  std::string tensor;
  std::vector<std::string> set;
  std::string config;
  std::string shape;
  std::optional<Index> place;
};

RecipeAnswer builtin_answer(const transfer::BuiltinRecipe& builtin) {
  RecipeAnswer out{.name = std::string(builtin.name), .does = std::string(builtin.does)};
  for (const std::string_view parameter : builtin.parameters) {
    if (!parameter.empty()) out.parameters.emplace_back(parameter);
  }
  return out;
}

// The text of config.json, or empty.
std::optional<std::string> read_config(Session& session, const std::string& path, int& status) {
  if (path.empty()) return std::string();
  const Result<MappedFile> file = MappedFile::open(path);
  if (file) {
    return std::string(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  }
  status = report_option(session, file.error(), "--config");
  return {};
}

struct ReadRecipe {
  NamedRecipe named;
  transfer::Recipe recipe;
};

std::optional<ReadRecipe> read_recipe(Session& session, const AskedRecipe& asked, int& status) {
  auto named = named_recipe(session, asked.recipe, asked.set, "", status);
  if (!named) return {};
  auto recipe = transfer::parse_recipe(named->text);
  if (recipe) return ReadRecipe{std::move(*named), std::move(*recipe)};
  status = status_of(recipe.error());
  session.report(recipe.error(), std::make_shared<const Source>(asked.recipe, named->text));
  return {};
}

int list_axes(Session& session, const AskedRecipe& asked, Destination& answer) {
  int status = kDone;
  const auto config = read_config(session, asked.config, status);
  if (!config) return status;
  const auto read = read_recipe(session, asked, status);
  if (!read) return status;
  const transfer::Recipe& recipe = read->recipe;
  RecipeAnswer out{.name = recipe.name.empty() ? asked.recipe : recipe.name};
  for (const transfer::BuiltinRecipe& builtin : transfer::builtin_recipes()) {
    if (read->named.is_builtin && builtin.name == asked.recipe) out = builtin_answer(builtin);
  }
  const auto sizes = transfer::RecipeAxes::make(recipe, *config, {}, read->named.set);
  if (!sizes) return report_failure(session, sizes.error(), asked.recipe);
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
  answer.output().write(answer.format() == Format::json ? to_json(out) + "\n" : to_text(out));
  return kDone;
}

int list_recipes(Session& session, const AskedRecipe& asked) {
  int status = kDone;
  const std::unique_ptr<Destination> answer = Destination::open(session, /*html_allowed=*/false, status);
  if (answer == nullptr) return status;
  if (!asked.recipe.empty()) return answer->finish(list_axes(session, asked, *answer));
  for (const auto& [given, option] :
       {std::pair(!asked.set.empty(), "--set"), std::pair(!asked.config.empty(), "--config")}) {
    if (!given) continue;
    return answer->finish(report_option(session,
                                        {.code = Code::bad_option,
                                         .message = fmt::format("{} needs a recipe", option),
                                         .help = "name one: tessera reshard recipes qkv-fuse"},
                                        option));
  }
  std::vector<RecipeAnswer> all;
  for (const transfer::BuiltinRecipe& builtin : transfer::builtin_recipes())
    all.push_back(builtin_answer(builtin));
  answer->output().write(answer->format() == Format::json ? to_json(all) + "\n" : to_text(all));
  return answer->finish(kDone);
}

int map_elements(Session& session, const AskedRecipe& asked) {
  int status = kDone;
  const std::unique_ptr<Destination> answer = Destination::open(session, /*html_allowed=*/false, status);
  if (answer == nullptr) return status;
  auto config = read_config(session, asked.config, status);
  if (!config) return answer->finish(status);
  const auto read = read_recipe(session, asked, status);
  if (!read) return answer->finish(status);
  transfer::ElementMapQuestion question{.tensor = asked.tensor, .place = asked.place};
  question.config = std::move(*config);
  question.set = read->named.set;
  if (!asked.shape.empty()) {
    const auto shape = parse_shape(asked.shape);
    if (!shape) {
      status = status_of(shape.error());
      session.report(shape.error(), std::make_shared<const Source>("<--shape>", asked.shape));
      return answer->finish(status);
    }
    question.shape = *shape;
  }
  const auto tensors = transfer::element_map(read->recipe, question);
  if (!tensors) {
    const Diagnostic& error = tensors.error();
    const bool place = error.code == Code::index_out_of_range && asked.place;
    status = place ? report_option(session, error, "--place") : report_failure(session, error, asked.tensor);
    return answer->finish(status);
  }
  answer->output().write(answer->format() == Format::json ? to_json(asked.recipe, *tensors) + "\n"
                                                          : to_text(*tensors));
  return answer->finish(kDone);
}

void add_axis_options(CLI::App& verb, AskedRecipe& asked) {
  verb.add_option("--set", asked.set, "the size of an axis of the recipe")->type_name("NAME=VALUE");
  verb.add_option("--config", asked.config, "the config.json of a model, for the sizes of axes")
      ->type_name("FILE");
}

}  // namespace

void add_reshard_recipes(CLI::App& reshard, Session& session) {
  CLI::App* verb = reshard.add_subcommand("recipes", "the built-in recipes, or the axes of one recipe");
  auto asked = std::make_shared<AskedRecipe>();
  verb->add_option("RECIPE", asked->recipe, "a built-in recipe, or a recipe in a file");
  add_axis_options(*verb, *asked);
  add_common_options(*verb, session);
  verb->footer(
      R"(With a recipe: each axis with its size and the texts that give it, ? if the source or --set must give it.

Examples:
  tessera reshard recipes
  tessera reshard recipes qkv-fuse --set t=2 --set g=4 --set h=2 --set d=8 --set n=64)");
  verb->callback(
      [&session, asked] { session.action = [&session, asked] { return list_recipes(session, *asked); }; });
}

void add_reshard_map(CLI::App& reshard, Session& session) {
  CLI::App* verb = reshard.add_subcommand("map", "where a recipe takes the elements of a new tensor from");
  auto asked = std::make_shared<AskedRecipe>();
  verb->add_option("RECIPE", asked->recipe, "a built-in recipe, or a recipe in a file")->required();
  verb->add_option("TENSOR", asked->tensor, "the name of the new tensor")->required();
  verb->add_option("--place", asked->place, "only the shard of this place")
      ->type_name("P")
      ->check(whole_number(0, kIndexMax));
  verb->add_option("--shape", asked->shape, "the shape of a tensor that the recipe copies or only cuts")
      ->type_name("DIMS");
  add_axis_options(*verb, *asked);
  add_common_options(*verb, session);
  verb->footer(
      R"(Needs no files. For each shard: its shape, then maps from the index in the shard to the index in the tensor
of the source. The domains of the maps are disjoint; cells outside them have no element and become 0.

Examples:
  tessera reshard map qkv-fuse model.layers.0.self_attn.qkv_proj.weight --set g=2 --set h=2 --set d=4 --set n=8
  tessera reshard map tp lm_head.weight --set from=4 --set to=2 --shape 16,8 --place 1)");
  verb->callback(
      [&session, asked] { session.action = [&session, asked] { return map_elements(session, *asked); }; });
}

}  // namespace tessera::cli
