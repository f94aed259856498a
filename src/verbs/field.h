// SPDX-License-Identifier: Apache-2.0
/// \file
/// The description of one field of a request.
#pragma once

#include <cstddef>
#include <string_view>

#include "tessera/base/index.h"

namespace tessera::verbs {

/// A field is an option or an argument of the command line, a key in JSON, and a keyword in Python; its help,
/// its place in errors and its JSON Schema follow from this description.
struct Field {
  std::string_view name;  ///< `base_align`; the option is `--base-align`
  /// The word for a value in help texts: `N,N,...`. Empty for a flag; follows for words.
  std::string_view value = {};
  std::string_view help;          ///< without a period
  bool argument = false;          ///< has a place on the command line instead of a name
  bool optional = false;          ///< an argument that may be missing
  bool required = false;          ///< an option that may not
  std::string_view example = {};  ///< a value that can be read, for errors
  std::string_view bare = {};     ///< the value of an option that is given without one
  Index least = 0;                ///< the numbers that it takes
  Index most = kIndexMax;
  std::string_view numbers = {};   ///< the only numbers that it takes, between spaces
  std::string_view needs = {};     ///< another field, without which this one has no effect
  std::string_view excludes = {};  ///< fields that cannot be given together with this one, between spaces
  std::string_view unless = {};    ///< must be given unless one of these fields is
  bool single = false;             ///< for one question, not for each line of stdin
  bool single_in_file = false;     ///< the same, if the answers go to a file
  bool text_only = false;          ///< has no effect on JSON
  bool takes_dash = false;         ///< `-` is a value, not the lines of stdin
  bool each = false;               ///< the command line takes several, and asks about each
  bool needed = false;  ///< an optional argument that the verb misses, unless asked about the machine
  std::string_view lines_unless = {};  ///< the lines of stdin if it is missing, unless this field is given
  std::string_view file =
      {};               ///< names the file of the answer on the command line: `FILE.html|.txt`; else a flag
  bool common = false;  ///< the command line has it for every verb
  bool in_request = false;  ///< not on the command line, which reads the file itself
  std::size_t count = 0;    ///< how many values it takes, if not one; follows from its type
  bool list = false;        ///< one value that is a list of numbers; follows from its type
  bool repeated = false;    ///< takes a list of values; follows from its type

  bool must_be_given() const { return argument ? !optional && unless.empty() : required; }
  bool is_flag() const { return value.empty() && !argument; }
};

/// A text in place of the file that the field `file` names.
constexpr Field text_field(std::string_view help) {
  return {.name = "text", .value = "TEXT", .help = help, .excludes = "file", .in_request = true};
}

inline constexpr Field kForceField = {.name = "force", .help = "replace an existing file", .common = true};

}  // namespace tessera::verbs
