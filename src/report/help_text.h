// SPDX-License-Identifier: Apache-2.0
/// \file
/// Help for errors that were reported without any.
#pragma once

#include <string>

#include "tessera/base/result.h"

namespace tessera {

/// The diagnostic's own help. If it has none, help that fits most errors with its code. Empty for warnings
/// without help, and for codes whose help depends on the text (syntax).
std::string help_for(const Diagnostic& diagnostic);

}  // namespace tessera
