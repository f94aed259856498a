// SPDX-License-Identifier: Apache-2.0
/// \file
/// Pictures on a terminal and in files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/session.h"
#include "tessera/draw/picture.h"
#include "verbs/answer.h"

namespace tessera::cli {

/// The format of pictures that the extension of a path names; empty for .txt and for other extensions.
std::optional<verbs::PictureFormat> picture_format(std::string_view path);

/// How a picture is printed.
struct TerminalRequest {
  std::string theme = "auto";  ///< auto, light or dark
  bool ascii = false;
  Index width = 0;  ///< 0: the width of the terminal
};

/// `width`, or COLUMNS, or the width of the terminal, or 100 if there is no terminal.
Index terminal_width(Index width);

TextOptions terminal_options(const Session& session, const TerminalRequest& request, bool to_file);

}  // namespace tessera::cli
