// SPDX-License-Identifier: Apache-2.0
/// \file
/// Texts from files, compressed or not.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "tessera/base/result.h"
#include "tessera/base/source.h"

namespace tessera {

/// The text of a file, decompressed if its first bytes say gzip; `-` is standard input. Errors:
/// file_not_found, file_read (a directory, a broken or truncated archive, a failing disk), file_too_large
/// (more than `max_bytes` after decompression, or a file that is larger; at most that much is held). Texts of
/// 4 GiB and more are always too large.
Result<std::shared_ptr<const Source>> read_file(const std::string& path,
                                                std::size_t max_bytes = std::size_t{1} << 30);

}  // namespace tessera
