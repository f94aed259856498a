// SPDX-License-Identifier: Apache-2.0
/// \file
/// What to do about an error where whoever found it could not say.
#pragma once

#include <string>

#include "tessera/base/diagnostic.h"

namespace tessera {

/// The diagnostic's own help, or what helps against most errors with its code; empty for warnings, and for
/// codes whose remedy depends on the text alone (syntax).
std::string remedy(const Diagnostic& diagnostic);

}  // namespace tessera
