// SPDX-License-Identifier: Apache-2.0
/// \file
/// Pictures on a terminal and in files.
#pragma once

#include <optional>
#include <string>

#include "cli/session.h"
#include "tessera/draw/picture.h"

namespace tessera::cli {

/// The format of the answer.
enum class ShowFile : std::uint8_t { text, svg, png, tex, html, json };

/// The format that the extension of a path names.
std::optional<ShowFile> kind_of(const std::string& path);
/// The error for a path whose extension names no format.
Diagnostic no_such_kind(const std::string& path);

/// The picture as a file of this format, which must not be text. `theme` is auto, light or dark. Errors:
/// those of render_png.
Result<std::string> render_file(const Picture& picture, ShowFile kind, const std::string& theme = "auto",
                                const FactRows& facts = {});

/// How a picture is printed.
struct TerminalRequest {
  std::string theme = "auto";  ///< auto, light or dark
  bool ascii = false;
  Index width = 0;  ///< 0: the width of the terminal
};

/// `width`, or COLUMNS, or the width of the terminal, or 100 if there is no terminal.
Index terminal_width(Index width);

TextOptions terminal_options(const Session& session, const TerminalRequest& request, bool to_file);

/// The number of columns of the widest line of the picture as text.
Index text_columns(const Picture& picture, bool compact = false);

/// The picture as text. If it does not fit on the terminal, the gaps between cells are narrower.
std::string terminal_text(const Picture& picture, TextOptions options);

}  // namespace tessera::cli
