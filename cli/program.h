// SPDX-License-Identifier: Apache-2.0
/// \file
/// The program: one command line on the standard streams.
#pragma once

#include <string>
#include <vector>

namespace tessera::cli {

/// Runs a command line, without the program's name, on stdin, stdout and stderr. Returns the exit status.
/// Installs signal handlers that remove unfinished files.
int run_program(std::vector<std::string> arguments);

}  // namespace tessera::cli
