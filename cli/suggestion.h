// SPDX-License-Identifier: Apache-2.0
/// \file
/// "Did you mean": the closest of several words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera::cli {

/// The closest word, which is probably the intended one. Empty if no word is close.
std::string nearest(std::string_view word, const std::vector<std::string>& words);

}  // namespace tessera::cli
