// SPDX-License-Identifier: Apache-2.0
/// \file
/// Shardings with their places in a text, for readers of programs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/result.h"
#include "tessera/notation/sharding.h"

namespace tessera::detail {

/// The shardings of a text.
struct ReadShardings {
  std::vector<Sharding> shardings = {};
  std::vector<Span> spans = {};  ///< of each
  bool tuple = false;            ///< true: in the braces of a tuple, which may have one or none
  std::optional<Diagnostic> error = {};
  /// With an error that may be no mistake but a form newer than this reader, the text at which it ends: a
  /// word that the reader does not know, or any other text than it expects after `mesh`.
  std::optional<std::string> newer = {};
};

/// Reads one sharding, or several in the braces of a tuple. Errors: those of parse_shardings.
ReadShardings read_shardings(std::string_view text);

}  // namespace tessera::detail
