// SPDX-License-Identifier: Apache-2.0
/// \file
/// Blocks of GGUF, taken apart as ggml's functions take them apart.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::laws {

/// The bits of a row of blocks, as bit_image has them. `values` are the numbers of the entries of the field.
std::vector<std::int64_t> gguf_image(const std::string& type, const std::string& field,
                                     const std::vector<std::int64_t>& values);

/// The types, the fields of each (empty: the codes), and entries and bits of a field.
struct GgufFieldCase {
  std::string type;
  std::string field;
  std::int64_t entries = 1;
  int width = 8;
};
std::vector<GgufFieldCase> gguf_field_cases();

}  // namespace tessera::laws
