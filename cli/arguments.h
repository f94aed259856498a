// SPDX-License-Identifier: Apache-2.0
/// \file
/// The command line: verbs, options, help.
#pragma once

#include "cli/session.h"

namespace tessera::cli {

/// Runs the verb that the session's arguments choose. Returns the exit status.
int run(Session& session);

}  // namespace tessera::cli
