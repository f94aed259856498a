// SPDX-License-Identifier: Apache-2.0
/// \file
/// "Did you mean": the closest of several words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera::cli {

/// The closest word, probably the intended one; empty if none is close.
std::string nearest(std::string_view word, const std::vector<std::string>& words);

}  // namespace tessera::cli
