// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the calculator says about itself.
#pragma once

#include <string>
#include <string_view>

namespace tessera::cli {

/// The functions of the calculator by group; those whose name contains a word, if one is given.
std::string function_list(std::string_view word = {});

/// The answer to `help` (commands, topics and names), or to `help WORD`: a function with an example and its
/// value, a topic, a group, or the functions with WORD in their names. Always says something.
std::string eval_help(std::string_view word = {});

}  // namespace tessera::cli
