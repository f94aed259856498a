// SPDX-License-Identifier: Apache-2.0
/// \file
/// Parses the numbers of bytes in options.
#pragma once

#include <optional>
#include <string_view>

#include "tessera/base/index.h"

namespace tessera::verbs {

/// Reads `512M`: a number of bytes, or of KiB, MiB, GiB, TiB by their first letters. Empty if the text has
/// another form or the number does not fit in 64 bits.
std::optional<Index> parse_byte_size(std::string_view text);

}  // namespace tessera::verbs
