// SPDX-License-Identifier: Apache-2.0
/// \file
/// The command line: verbs, options, help.
#pragma once

#include "cli/session.h"

namespace tessera::cli {

/// Reads the session's arguments, does what they say, and returns the exit status.
int run(Session& session);

}  // namespace tessera::cli
