// SPDX-License-Identifier: Apache-2.0
/// \file
/// The options --recipe and --set.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/session.h"
#include "tessera/base/index.h"

namespace tessera::cli {

/// A recipe, and the sizes of its axes that `--set` gives.
struct NamedRecipe {
  std::string text;
  std::map<std::string, Index, std::less<>> set = {};
  bool is_builtin = false;
};

/// The recipe in a file, or the built-in one, with the values of `--set NAME=VALUE`. If there is none,
/// reports why: at `option`, or at the argument if that is empty; names that are not axes of the recipe at
/// their
/// `--set`.
std::optional<NamedRecipe> named_recipe(Session& session, const std::string& recipe,
                                        const std::vector<std::string>& set, std::string_view option,
                                        int& status);

}  // namespace tessera::cli
