// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads HLO text into modules and diagnostics.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/diagnostic.h"
#include "tessera/base/result.h"
#include "tessera/base/source.h"
#include "tessera/hlo/module.h"

namespace tessera {

/// The modules of a text, and its diagnostics in text order.
struct ParsedModules {
  std::shared_ptr<const Source> source;
  std::vector<HloModule> modules;
  std::vector<Diagnostic> diagnostics;

  /// Whether there are no errors; warnings are fine.
  bool ok() const;
};

struct ParseHloOptions {
  bool verify = true;                 ///< check shapes and attributes of every instruction after parsing
  std::size_t max_diagnostics = 100;  ///< a final note counts the rest
};

/// Parses every module of an HLO text: modules are separated by lines that start with `// -----` or by the
/// next `HloModule`. Never fails as a whole: an instruction with an error is reported and kept with
/// `sound == false`, and parsing continues. Every text gives a module or an error; StableHLO, LLVM IR, JSON,
/// binary files and the like give one error that explains how to get HLO text. O(text) time and memory. Types
/// may nest 500 levels deep (error `depth`); operands, literals and computations 200 (error `limit`).
ParsedModules parse_hlo(std::shared_ptr<const Source> source, const ParseHloOptions& options = {});

/// Parses a text that has no name for diagnostics to show.
ParsedModules parse_hlo(std::string_view text, const ParseHloOptions& options = {});

/// The text of a file, decompressed if it begins like a gzip file; `-` is standard input. Errors:
/// file_not_found, file_read (a directory, a broken or truncated archive, a failing disk), file_too_large
/// (the file or its decompressed text has more than `max_bytes`, of which no more are read, or at least 4
/// GiB).
Result<std::shared_ptr<const Source>> read_file(const std::string& path,
                                                std::size_t max_bytes = std::size_t{1} << 30);

}  // namespace tessera
