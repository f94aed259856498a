// SPDX-License-Identifier: Apache-2.0
/// \file
/// The verbs of `reshard`.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/session.h"

namespace tessera::cli {

void add_reshard_files(CLI::App& reshard, Session& session);
void add_reshard_recipes(CLI::App& reshard, Session& session);
void add_reshard_map(CLI::App& reshard, Session& session);
void add_reshard_mpi(CLI::App& reshard, Session& session);

}  // namespace tessera::cli
