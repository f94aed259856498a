// SPDX-License-Identifier: Apache-2.0
#include "report/recipe_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/plural.h"
#include "base/printable.h"
#include "report/json.h"

namespace tessera {
namespace {

Json head(std::string_view action) {
  return {{"schema", "tessera.reshard/1"}, {"action", action}, {"status", 0}};
}

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string texts_of(const ListedAxis& axis) {
  return axis.texts.empty() ? "follows from others" : fmt::format("{}", fmt::join(axis.texts, " and "));
}

std::string name_of(const transfer::TensorSources& tensor) {
  return tensor.place ? fmt::format("{} at place {}", tensor.tensor, *tensor.place) : tensor.tensor;
}

}  // namespace

std::string to_text(const std::vector<RecipeAnswer>& recipes) {
  std::size_t width = 0;
  for (const RecipeAnswer& recipe : recipes) width = std::max(width, recipe.name.size());
  std::string text;
  for (const RecipeAnswer& recipe : recipes) {
    text += fmt::format("{:<{}}  {}", recipe.name, width, recipe.does);
    if (!recipe.parameters.empty()) text += fmt::format(" (--set {})", fmt::join(recipe.parameters, ", "));
    text += "\n";
  }
  return text;
}

std::string to_json(const std::vector<RecipeAnswer>& recipes) {
  Json json = head("recipes");
  Json& list = json["recipes"] = Json::array();
  for (const RecipeAnswer& recipe : recipes)
    list.push_back({{"name", recipe.name}, {"does", recipe.does}, {"parameters", recipe.parameters}});
  return dump(json);
}

std::string to_text(const RecipeAnswer& recipe) {
  std::string text =
      recipe.does.empty() ? recipe.name + "\n" : fmt::format("{}: {}\n", recipe.name, recipe.does);
  if (!recipe.parameters.empty()) text += fmt::format("parameters: {}\n", fmt::join(recipe.parameters, ", "));
  std::size_t names = 0;
  std::size_t sizes = 0;
  const auto size_text = [](const ListedAxis& axis) {
    return axis.size ? fmt::format("{}", *axis.size) : "?";
  };
  for (const ListedAxis& axis : recipe.axes) {
    names = std::max(names, axis.name.size());
    sizes = std::max(sizes, size_text(axis).size());
  }
  if (!recipe.axes.empty()) text += "axes:\n";
  for (const ListedAxis& axis : recipe.axes)
    text += fmt::format("  {:<{}}  {:>{}}  {}\n", axis.name, names, size_text(axis), sizes, texts_of(axis));
  text += "rules:\n";
  for (const std::string& rule : recipe.rules) text += fmt::format("  {}\n", rule);
  return detail::printable(text, true);
}

std::string to_json(const RecipeAnswer& recipe) {
  Json json = head("recipes");
  json["name"] = recipe.name;
  if (!recipe.does.empty()) json["does"] = recipe.does;
  json["parameters"] = recipe.parameters;
  Json& axes = json["axes"] = Json::array();
  for (const ListedAxis& axis : recipe.axes) {
    Json one = {{"name", axis.name}, {"texts", axis.texts}};
    one["size"] = axis.size ? Json(*axis.size) : Json();
    if (!axis.why.empty()) one["why"] = axis.why;
    axes.push_back(std::move(one));
  }
  json["rules"] = recipe.rules;
  return dump(json);
}

std::string to_text(const std::vector<transfer::TensorSources>& tensors) {
  std::string text;
  for (const transfer::TensorSources& tensor : tensors) {
    text += fmt::format("{}: [{}]", name_of(tensor), fmt::join(tensor.shape, ","));
    if (tensor.padding > 0)
      text += fmt::format(", {} without an element", detail::plural(tensor.padding, "cell"));
    text += "\n";
    for (const transfer::ElementSource& source : tensor.sources) {
      const std::string piece = source.piece.empty() ? "" : source.piece + " ";
      const std::string place = source.place ? fmt::format(" at place {}", *source.place) : "";
      text += fmt::format("  {}from {}{}: {}\n", piece, source.tensor, place, to_string(source.map));
    }
  }
  return detail::printable(text, true);
}

std::string to_json(std::string_view recipe, const std::vector<transfer::TensorSources>& tensors) {
  Json json = head("map");
  json["recipe"] = recipe;
  json["tensor"] = tensors.empty() ? "" : tensors[0].tensor;
  Json& shards = json["shards"] = Json::array();
  for (const transfer::TensorSources& tensor : tensors) {
    Json one = Json::object();
    one["place"] = tensor.place ? Json(*tensor.place) : Json();
    one["shape"] = tensor.shape;
    one["padding"] = tensor.padding;
    Json& sources = one["sources"] = Json::array();
    for (const transfer::ElementSource& source : tensor.sources) {
      Json from = Json::object();
      from["piece"] = source.piece;
      from["tensor"] = source.tensor;
      from["place"] = source.place ? Json(*source.place) : Json();
      from["map"] = to_string(source.map);
      sources.push_back(std::move(from));
    }
    shards.push_back(std::move(one));
  }
  return dump(json);
}

}  // namespace tessera
