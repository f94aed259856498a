// SPDX-License-Identifier: Apache-2.0
/// \file
/// The file with the lines of earlier sessions of the calculator.
#pragma once

#include <filesystem>

namespace tessera::cli {

/// $TESSERA_HISTORY; if unset, tessera/eval_history in $XDG_STATE_HOME or in ~/.local/state. Empty, so that
/// no history is kept, if TESSERA_HISTORY is empty or there is no home directory.
std::filesystem::path history_path();

}  // namespace tessera::cli
