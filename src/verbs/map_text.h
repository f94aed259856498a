// SPDX-License-Identifier: Apache-2.0
/// \file
/// Tells maps from the paths of files.
#pragma once

#include <string_view>

namespace tessera::verbs {

/// Whether the text is a map or one of the words for maps; other texts may be files.
inline bool is_map_text(std::string_view text) {
  return text.find("->") != text.npos || text == "KNOWN EMPTY" || text == "UNDEFINED";
}

}  // namespace tessera::verbs
