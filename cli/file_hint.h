// SPDX-License-Identifier: Apache-2.0
/// \file
/// A file where a layout is expected.
#pragma once

#include <optional>
#include <string>

#include "tessera/base/diagnostic.h"

namespace tessera::cli {

/// If the text names a file, an error that says what to do with it and, for a tensor file, its layout. Empty
/// for other texts. Reads at most the header.
std::optional<Diagnostic> file_in_place_of_layout(const std::string& text);

}  // namespace tessera::cli
