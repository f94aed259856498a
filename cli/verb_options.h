// SPDX-License-Identifier: Apache-2.0
/// \file
/// Verbs whose options follow from the fields of their requests.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>

#include "cli/session.h"
#include "verbs/verb.h"

namespace tessera::cli {

/// Answers in another way, and returns the exit status; empty if the verb is to be asked.
using AnswerInstead = std::function<std::optional<int>(const verbs::FieldTexts&)>;

/// Adds the arguments and options of a verb's request, and asks it.
void add_fields(CLI::App& app, Session& session, const verbs::Verb& verb, AnswerInstead instead = {});

/// Adds a verb with the arguments and options of its request.
CLI::App* add_verb(CLI::App& app, Session& session, const verbs::Verb& verb, AnswerInstead instead = {});

/// Adds the verbs of a group, such as `map simplify`.
void add_group(CLI::App& app, Session& session, std::string_view name, std::string_view help);

}  // namespace tessera::cli
