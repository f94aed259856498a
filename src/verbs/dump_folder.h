// SPDX-License-Identifier: Apache-2.0
/// \file
/// The modules in a folder that XLA dumped.
#pragma once

#include <string>
#include <vector>

#include "tessera/base/result.h"

namespace tessera::verbs {

/// What `--xla_dump_to` wrote.
struct DumpFolder {
  std::vector<std::string> modules;  ///< paths of the modules after optimizations, sorted by name
  std::string others;  ///< the other files, by kind: `2 before_optimizations, 1 buffer-assignment`
};

/// Whether the path names a folder.
bool is_folder(const std::string& path);

/// The modules of a folder: files `*after_optimizations.txt`, also `.hlo` and with `.gz`. Errors: file_read
/// (the folder cannot be read, or has none; says what it has, and how to dump).
Result<DumpFolder> read_dump_folder(const std::string& path);

}  // namespace tessera::verbs
