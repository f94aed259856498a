// SPDX-License-Identifier: Apache-2.0
/// \file
/// The header of GGUF files, in which llama.cpp stores models.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "files/gguf_types.h"
#include "tessera/base/index.h"
#include "tessera/base/result.h"
#include "tessera/files/tensor_file.h"

namespace tessera {

/// A tensor of a header: row-major, its rows whole blocks, its bytes inside the file.
struct GgufTensor {
  std::string name;
  const GgufType* type = nullptr;  ///< never null
  std::vector<Index> shape;        ///< slowest dimension first; the file has the reverse
  Index begin = 0;                 ///< byte position in the file
  Index end = 0;
};

/// A tensor that does not begin where the one before it ends, rounded up to the alignment.
struct GgufGap {
  std::size_t tensor = 0;
  std::uint64_t offset = 0;  ///< from the start of the data
};

struct GgufHeader {
  std::uint32_t version = 3;
  Index alignment = 32;                    ///< bytes; a power of two
  std::vector<MetadataKey> metadata = {};  ///< in the order of the file
  std::vector<GgufTensor> tensors = {};
  std::size_t data_begin = 0;       ///< bytes; rounded up to the alignment
  std::optional<GgufGap> gap = {};  ///< the first one
};

/// The tensor with its type and layout. Types without codes have neither.
FileTensor file_tensor(const GgufTensor& tensor);

/// Parses and checks the header of a file, versions 2 and 3. `file` is the whole file, but only the header is
/// read. Nothing is allocated for a length before it is compared with the size of the file. Spans are byte
/// positions in the file. Errors: bad_file; byte_order; duplicate_name (a key or a tensor); unknown_type;
/// depth (arrays nested deeper than 8); buffer_too_small (data beyond the end of the file). O(header log
/// tensors).
Result<GgufHeader> parse_gguf_header(std::span<const std::byte> file);

}  // namespace tessera
