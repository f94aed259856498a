// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads HLO text into modules and diagnostics.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "tessera/base/diagnostic.h"
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
  std::size_t max_diagnostics = 100;  ///< a last note counts the others
};

/// Parses every module of an HLO text: modules are separated by lines that start with `// -----` or by the
/// next `HloModule`. Never fails as a whole: an instruction with an error is reported and kept with `sound ==
/// false`, and parsing continues. Every text gives a module or an error; StableHLO, LLVM IR, JSON, binary
/// files and the like give one error that says how to get HLO text. O(text) time and memory. Types may nest
/// 500 levels deep (error `depth`); operands, literals and computations 200 (error `limit`).
ParsedModules parse_hlo(std::shared_ptr<const Source> source, const ParseHloOptions& options = {});

/// The same for a text without a name.
ParsedModules parse_hlo(std::string_view text, const ParseHloOptions& options = {});

}  // namespace tessera
