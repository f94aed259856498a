// SPDX-License-Identifier: Apache-2.0
/// \file
/// The buffer of a named layout, built as the programs that use it build theirs: by padding, reshaping and
/// permuting arrays of numbers, and by writing bits one after another. Shares no code with the library.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tessera::laws {

/// A named layout as fields.
struct NamedCase {
  std::string prefix;
  std::string family;
  std::string field = {};
  std::map<std::string, std::int64_t> parameters = {};  ///< all of them, with defaults
  std::vector<std::int64_t> groups = {};                ///< sizes, if there are groups
  bool column_groups = false;
  int width = 8;
  std::vector<std::int64_t> shape = {};
};

/// For each bit of the buffer the number of the element, row-major, times 64, plus the bit of the value; or
/// -1 for padding.
std::vector<std::int64_t> bit_image(const NamedCase& named);

}  // namespace tessera::laws
