// SPDX-License-Identifier: Apache-2.0
/// \file
/// Help texts, and how option values are checked.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tessera::cli {

/// The group of positional arguments that a verb asks for itself, because one of its options needs none.
inline constexpr char kNeeded[] = "Needed";

/// `tessera 0.1.0`.
std::string version();

/// `tessera map simplify`.
std::string full_name(const CLI::App* verb);

/// `tessera map simplify [options] MAP`.
std::string usage(const CLI::App* verb);

/// What --help prints.
std::string help(const CLI::App* verb);

/// Accepts these words only.
CLI::Validator one_of(std::vector<std::string> words);

/// Accepts whole numbers from `least` to `most`.
CLI::Validator whole_number(std::int64_t least, std::int64_t most);

/// The name of a file that is to be written; with an extension the name must end in it.
CLI::Validator file_name(std::string extension = {});

}  // namespace tessera::cli
