// SPDX-License-Identifier: Apache-2.0
/// \file
/// The calculator on a terminal.
#pragma once

#include "cli/session.h"

namespace tessera::cli {

/// Reads expressions until Ctrl-D or `quit` and prints each value or diagnostic; errors do not end the
/// session. A text that ends inside a bracket continues on the next line. With libedit, functions and
/// variables are completed, and `keep_history` saves the history to history_path(). Ctrl-C drops the current
/// line.
int run_repl(Session& session, bool explain, bool keep_history);

}  // namespace tessera::cli
