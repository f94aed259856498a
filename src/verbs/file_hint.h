// SPDX-License-Identifier: Apache-2.0
/// \file
/// A hint for a file name that is given in place of a layout.
#pragma once

#include <optional>
#include <string>

#include "tessera/base/result.h"

namespace tessera::verbs {

/// Whether a file has this path.
bool names_a_file(const std::string& path);

/// If the text names a file, an error that says how to use the file and, for a tensor file, gives its layout.
/// Empty for other texts. Reads at most the header.
std::optional<Diagnostic> file_in_place_of_layout(const std::string& text);

}  // namespace tessera::verbs
