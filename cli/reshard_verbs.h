// SPDX-License-Identifier: Apache-2.0
/// \file
/// The verbs of `reshard`.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/session.h"

namespace tessera::cli {

/// Adds the options of a plan to `reshard plan`, or to `reshard` itself.
void add_reshard_plan(CLI::App& verb, Session& session);
void add_reshard_at(CLI::App& reshard, Session& session);
void add_reshard_places(CLI::App& reshard, Session& session);
void add_reshard_convert(CLI::App& reshard, Session& session);
void add_reshard_equal(CLI::App& reshard, Session& session);
void add_reshard_files(CLI::App& reshard, Session& session);
void add_reshard_show(CLI::App& reshard, Session& session);
void add_reshard_recipes(CLI::App& reshard, Session& session);
void add_reshard_map(CLI::App& reshard, Session& session);
void add_reshard_mpi(CLI::App& reshard, Session& session);

}  // namespace tessera::cli
