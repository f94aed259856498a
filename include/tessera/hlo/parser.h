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

  /// No diagnostic is an error (warnings may be there).
  bool ok() const;
};

struct ParseHloOptions {
  bool verify = true;                 ///< check shapes and attributes of every instruction after parsing
  std::size_t max_diagnostics = 100;  ///< more are only counted, in a last note
};

/// Parses every module of an HLO text: modules are separated by lines that start with `// -----` or by the
/// next `HloModule`. Never fails as a whole: an instruction with an error is reported and kept with `sound ==
/// false`, and parsing continues. Every text gives a module or an error; StableHLO, LLVM IR, JSON, binary
/// files and the like give one error that says how to get HLO text. Exact; O(text) time and memory. Nesting
/// beyond 500 levels is `limit`.
ParsedModules parse_hlo(std::shared_ptr<const Source> source, const ParseHloOptions& options = {});

/// The same for a text without a name.
ParsedModules parse_hlo(std::string_view text, const ParseHloOptions& options = {});

}  // namespace tessera
