// SPDX-License-Identifier: Apache-2.0
/// \file
/// The calculator on a terminal.
#pragma once

#include <string>

#include "cli/session.h"

namespace tessera::cli {

/// Reads expressions until Ctrl-D or `quit` and shows each value or diagnostic; an error ends nothing. With
/// libedit there are history and completion of functions and variables, and Ctrl-C drops the line that is
/// begun.
int run_repl(Session& session, bool explain);

/// The functions of the calculator by group; those whose name contains a word, if one is given.
std::string function_list(std::string_view word = {});

}  // namespace tessera::cli
