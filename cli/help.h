// SPDX-License-Identifier: Apache-2.0
/// \file
/// Help texts and option validators.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/session.h"

namespace tessera::cli {

/// The group of positional arguments that the verb checks itself, because one of its options makes them
/// unnecessary.
inline constexpr char kNeeded[] = "Needed";
/// The group of the options that every verb has.
inline constexpr char kCommonGroup[] = "Options of every verb";

/// `tessera 0.1.0`.
std::string version();

/// `tessera map simplify`.
std::string full_name(const CLI::App* verb);

/// `tessera map simplify [options] MAP`.
std::string usage(const CLI::App* verb);

/// The text of --help.
std::string help(const CLI::App* verb);
/// A help text as the session's answer: text, or JSON with --json.
std::string help_answer(const Session& session, const CLI::App* verb, const std::string& text);

/// The spelling of an option or an argument with its value: `-o, --output FILE`.
std::string option_text(const CLI::Option* option);

/// The subverbs that the help of the program or of a verb lists.
std::vector<const CLI::App*> listed_verbs(const CLI::App* verb);
std::vector<std::string> verb_names(const CLI::App* app);

/// Accepts only these words.
CLI::Validator one_of(std::vector<std::string> words);

/// Accepts the name of an output file, which must end in one of the extensions if some are given.
CLI::Validator file_name(std::vector<std::string> extensions = {});

}  // namespace tessera::cli
