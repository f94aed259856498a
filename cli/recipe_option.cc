// SPDX-License-Identifier: Apache-2.0
#include "cli/recipe_option.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/tensor_options.h"
#include "tessera/files/tensor_file.h"
#include "transfer/axis_names.h"
#include "transfer/builtin_recipes.h"
#include "transfer/recipe.h"
#include "verbs/byte_size.h"

namespace tessera::cli {
namespace {

// Points at one of several values of --set.
int report_set(Session& session, Diagnostic diagnostic, const std::string& value) {
  const auto& line = session.arguments();
  const std::string joined = "--set=" + value;
  return report_failure(session, std::move(diagnostic),
                        std::ranges::find(line, joined) == line.end() ? value : joined);
}

bool read_set(Session& session, const std::vector<std::string>& set, NamedRecipe& out, int& status) {
  for (const std::string& text : set) {
    const std::size_t equals = text.find('=');
    const std::optional<Index> value =
        equals == std::string::npos ? std::nullopt : verbs::parse_byte_size(text.substr(equals + 1));
    Diagnostic wrong{.code = Code::bad_option, .message = {}};
    if (!value || equals == 0) {
      wrong.message = fmt::format("'{}' is not NAME=VALUE", text);
      wrong.help = "name an axis and its size: --set NAME=VALUE";
    } else if (*value < 1) {
      wrong.message = fmt::format("'{}' gives an axis the size {}, but it must be at least 1", text, *value);
      wrong.help = "leave it out, or give a size of 1 or more";
    } else if (!out.set.emplace(text.substr(0, equals), *value).second) {
      wrong.code = Code::duplicate_name;
      wrong.message = fmt::format("--set gives the size of '{}' twice", text.substr(0, equals));
      wrong.help = "leave one of them out";
    } else {
      continue;
    }
    status = report_set(session, std::move(wrong), text);
    return false;
  }
  return true;
}

// Every name must be an axis of the recipe, or a parameter of the built-in one.
bool check_names(Session& session, const std::string& recipe, const std::vector<std::string>& set,
                 const NamedRecipe& named, int& status) {
  std::vector<std::string> known;
  if (!named.text.empty()) {
    const auto parsed = transfer::parse_recipe(named.text);
    if (!parsed) return true;  // reported where the recipe is used
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
  for (const std::string& text : set) {
    const std::string name = text.substr(0, text.find('='));
    const auto done = transfer::check_set(known, {{name, 1}});
    if (done) continue;
    status = report_set(session, done.error(), text);
    return false;
  }
  return true;
}

int report_recipe(Session& session, Diagnostic diagnostic, const std::string& recipe,
                  std::string_view option) {
  return option.empty() ? report_failure(session, std::move(diagnostic), recipe)
                        : report_option(session, std::move(diagnostic), option);
}

}  // namespace

std::optional<NamedRecipe> named_recipe(Session& session, const std::string& recipe,
                                        const std::vector<std::string>& set, std::string_view option,
                                        int& status) {
  NamedRecipe out;
  if (!read_set(session, set, out, status)) return {};
  auto builtin = transfer::builtin_recipe(recipe, out.set);
  if (!builtin) {
    out.is_builtin = true;
    if (!check_names(session, recipe, set, out, status)) return {};
    status = report_recipe(session, builtin.error(), recipe, option);
    return {};
  }
  out.text = std::move(*builtin);
  out.is_builtin = !out.text.empty();
  if (!out.is_builtin) {
    const Result<MappedFile> file = MappedFile::open(recipe);
    if (!file) {
      Diagnostic diagnostic = file.error();
      std::vector<std::string> names;
      for (const transfer::BuiltinRecipe& one : transfer::builtin_recipes()) names.emplace_back(one.name);
      diagnostic.help = fmt::format("the built-in recipes are {}", fmt::join(names, ", "));
      status = report_recipe(session, std::move(diagnostic), recipe, option);
      return {};
    }
    out.text.assign(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
    if (out.text.empty()) out.text = " ";
  }
  if (!check_names(session, recipe, set, out, status)) return {};
  return out;
}

}  // namespace tessera::cli
