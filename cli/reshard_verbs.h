// SPDX-License-Identifier: Apache-2.0
/// \file
/// `reshard mpi`.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/session.h"

namespace tessera::cli {

void add_reshard_mpi(CLI::App& reshard, Session& session);

}  // namespace tessera::cli
