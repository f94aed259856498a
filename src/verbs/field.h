// SPDX-License-Identifier: Apache-2.0
/// \file
/// The description of one field of a request.
#pragma once

#include <string_view>

namespace tessera::verbs {

/// A field is an option or an argument of the command line, a key in JSON, and a keyword in Python; its help,
/// its place in errors and its JSON Schema follow from this description.
struct Field {
  std::string_view name;          ///< `base_align`; the option is `--base-align`
  std::string_view value = {};    ///< the word for a value in help texts: `N,N,...`; empty for a flag
  std::string_view help;          ///< without a period
  bool argument = false;          ///< has a place on the command line instead of a name, and is required
  std::string_view example = {};  ///< a value that can be read, for errors

  bool is_flag() const { return value.empty(); }
};

}  // namespace tessera::verbs
