// SPDX-License-Identifier: Apache-2.0
/// \file
/// Numbers and names as they appear in the sentences of the summary.
#pragma once

#include <string>
#include <string_view>

#include "tessera/map/map_algebra.h"

namespace tessera::detail {

/// A word of a command line, in quotes if the shell needs them.
std::string shell_word(std::string_view text);

/// `1.18 MB`.
std::string bytes_words(Index bytes);
/// `1.18 MB`, `at most 1.18 MB`, `8 B to 1.18 MB`.
std::string bytes_words(const Count& count);
/// The lower bound: `at least 1.18 MB`.
std::string at_least_words(const Count& count);

/// `65,536`.
std::string count_words(Index count);

/// `2.3`, `409`: the ratio part / whole.
std::string times_words(Index part, Index whole);

}  // namespace tessera::detail
