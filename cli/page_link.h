// SPDX-License-Identifier: Apache-2.0
/// \file
/// Questions for the explorer, the page that answers them in a browser.
#pragma once

#include <string>
#include <string_view>

#include "tessera/base/result.h"

namespace tessera::cli {

/// The part of an address after `#`, which holds a text that the page reads: a layout, a map, a program, or a
/// command. JSON, compressed with deflate, in base64 for addresses.
std::string page_fragment(std::string_view question);

/// The page of the explorer: `named` if it is not empty, or the file that TESSERA_EXPLORER names, that was
/// installed with the program, or that `make web` built. Errors: file_not_found.
Result<std::string> page_path(const std::string& named);

/// The page with a question inside: a text, or a part of an address, and the file that the text is about, if
/// it has a name. Errors: syntax (not the page of the explorer).
struct PageQuestion {
  std::string text = {};
  std::string fragment = {};
  std::string file_name = {};
  std::string file = {};  ///< its bytes
};
Result<std::string> page_with(std::string page, const PageQuestion& question);

}  // namespace tessera::cli
