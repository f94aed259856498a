// SPDX-License-Identifier: Apache-2.0
/// \file
/// The header of `.safetensors` files.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/dtype.h"
#include "tessera/base/index.h"
#include "tessera/base/result.h"

namespace tessera {

/// One tensor of a header: row-major and without padding, as the format requires. Extents are >= 0, and
/// [begin, end) is as long as its type and shape need.
struct StoredTensor {
  std::string name;
  std::string type_name;       ///< `F32`, as written
  std::optional<DType> dtype;  ///< empty for an unknown type
  std::vector<Index> shape;
  Index begin = 0;  ///< bytes, from the end of the header
  Index end = 0;
};

/// A header: its tensors in the order of their bytes, without overlaps or holes, and the strings of
/// `__metadata__`.
struct SafetensorsHeader {
  std::vector<StoredTensor> tensors = {};
  std::map<std::string, std::string, std::less<>> metadata = {};
  std::size_t data_begin = 0;  ///< bytes
};

/// Parses and checks the header of a file. `file` is the whole file, but only the header is read. Spans are
/// byte positions in the file. Errors: bad_file (broken JSON; missing, duplicate or overlapping tensors;
/// inconsistent sizes), overflow, limit (a header beyond 100 MB). O(header log tensors).
Result<SafetensorsHeader> parse_safetensors_header(std::span<const std::byte> file);

/// The bytes of the header, padded with spaces to a multiple of 8, which parse_safetensors_header reads back.
/// Ignores `data_begin`.
std::string to_bytes(const SafetensorsHeader& header);

/// `F32` for f32; empty for types that the format does not have.
std::optional<std::string_view> safetensors_name(DType dtype);
std::optional<DType> parse_safetensors_name(std::string_view name);

/// The bits of one element in the file: 4 for F4, 6 for F6_E2M3. Empty for an unknown name.
std::optional<Index> safetensors_bits(std::string_view name);

}  // namespace tessera
