// SPDX-License-Identifier: Apache-2.0
/// \file
/// Generated code as JSON.
#pragma once

#include <string>
#include <string_view>

#include "tessera/code/code.h"

namespace tessera {

/// `{"schema": "tessera.code/1", "status": 0, "language": "c", "kind": "offset", "code": …, "test": …}`. One
/// line. The key `test` is present only if there is a test.
std::string to_json(const SourceCode& code, std::string_view kind);

}  // namespace tessera
