// SPDX-License-Identifier: Apache-2.0
/// \file
/// The calculator on a terminal.
#pragma once

#include "cli/session.h"

namespace tessera::cli {

/// Reads expressions until Ctrl-D or `quit` and prints each value or diagnostic; an error does not end it. A
/// text that ends inside of a bracket goes on in the next line. With libedit there are completion of
/// functions and variables and a history, which `keep_history` writes to history_path(); Ctrl-C drops the
/// current line.
int run_repl(Session& session, bool explain, bool keep_history);

}  // namespace tessera::cli
