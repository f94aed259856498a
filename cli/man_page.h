// SPDX-License-Identifier: Apache-2.0
/// \file
/// Manual pages, from the same tables as --help.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace tessera::cli {

/// A manual page in the input format of man: `tessera(1)` for the program, or `tessera-map(1)` for a verb
/// with its subverbs.
std::string man_page(const CLI::App* verb);

}  // namespace tessera::cli
