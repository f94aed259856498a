// SPDX-License-Identifier: Apache-2.0
/// \file
/// Manual pages, from the same tables as --help.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace tessera::cli {

/// The page of the program, `tessera(1)`, or of a verb with the verbs inside it, `tessera-map(1)`, as input
/// of man.
std::string man_page(const CLI::App* verb);

}  // namespace tessera::cli
