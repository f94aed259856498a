// SPDX-License-Identifier: Apache-2.0
/// \file
/// Verbs whose options follow from the fields of their requests.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/session.h"
#include "verbs/verb.h"

namespace tessera::cli {

/// Adds the arguments and options of a verb's request, and asks it.
void add_fields(CLI::App& app, Session& session, const verbs::Verb& verb);

/// Adds a verb with the arguments and options of its request.
void add_verb(CLI::App& app, Session& session, const verbs::Verb& verb);

/// Adds the verbs of a group, such as `map simplify`.
void add_group(CLI::App& app, Session& session, std::string_view name, std::string_view help);

}  // namespace tessera::cli
