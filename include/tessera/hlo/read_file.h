// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads text files, compressed or not.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "tessera/base/result.h"
#include "tessera/base/source.h"

namespace tessera {

/// The text of a file, decompressed if its first bytes say gzip; `-` is standard input. Errors:
/// file_not_found, file_read (a directory, a broken or truncated archive, a failing disk), file_too_large
/// (the file or its decompressed text has more than `max_bytes`, of which no more are read, or at least 4
/// GiB).
Result<std::shared_ptr<const Source>> read_file(const std::string& path,
                                                std::size_t max_bytes = std::size_t{1} << 30);

}  // namespace tessera
