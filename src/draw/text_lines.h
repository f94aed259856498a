// SPDX-License-Identifier: Apache-2.0
/// \file
/// The size of a text in a terminal.
#pragma once

#include <string_view>
#include <vector>

#include "tessera/base/index.h"

namespace tessera {

/// The number of code points of a UTF-8 text: its width in terminal columns, for the characters that pictures
/// use.
Index text_width(std::string_view text);

/// The lines of a text, at least one.
std::vector<std::string_view> lines_of(std::string_view text);

}  // namespace tessera
