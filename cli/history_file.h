// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where the calculator keeps the lines of earlier sessions.
#pragma once

#include <filesystem>

namespace tessera::cli {

/// $TESSERA_HISTORY; without it tessera/eval_history in $XDG_STATE_HOME, or in ~/.local/state. Empty if
/// TESSERA_HISTORY is empty or there is no home: then no history is kept.
std::filesystem::path history_path();

}  // namespace tessera::cli
