// SPDX-License-Identifier: Apache-2.0
#include "cli/history_file.h"

#include <cstdlib>
#include <string_view>

namespace tessera::cli {

std::filesystem::path history_path() {
  if (const char* file = std::getenv("TESSERA_HISTORY")) return file;
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  // The XDG base directory specification says to ignore a relative path.
  if (state != nullptr && std::string_view(state).starts_with('/'))
    return std::filesystem::path(state) / "tessera" / "eval_history";
  if (home == nullptr || *home == '\0') return {};
  return std::filesystem::path(home) / ".local" / "state" / "tessera" / "eval_history";
}

}  // namespace tessera::cli
