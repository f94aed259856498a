// SPDX-License-Identifier: Apache-2.0
/// \file
/// The verbs. Each function adds a verb with its options and its help to the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/session.h"

namespace tessera::cli {

/// Adds --json, -o, --force, --color, --quiet, --version, --help.
void add_common_options(CLI::App& verb, Session& session);

void add_eval(CLI::App& app, Session& session);
void add_reshard(CLI::App& app, Session& session);
void add_schema(CLI::App& app, Session& session);
void add_explore(CLI::App& app, Session& session);
void add_link(CLI::App& app, Session& session);
void add_batch(CLI::App& app, Session& session);
void add_completion(CLI::App& app, Session& session);
void add_help(CLI::App& app, Session& session);

}  // namespace tessera::cli
