// SPDX-License-Identifier: Apache-2.0
/// \file
/// Recognizes formats that are often passed instead of HLO text.
#pragma once

#include <optional>
#include <string_view>

#include "tessera/base/result.h"

namespace tessera::detail {

/// One error that names the format and says how to get HLO text, for StableHLO and other MLIR, jaxprs, LLVM
/// IR, PTX, protocol buffers, JSON, DOT, HTML, and binary files; empty for a text that may be HLO. Looks at
/// the first 64 KiB only.
std::optional<Diagnostic> foreign_text(std::string_view text);

}  // namespace tessera::detail
