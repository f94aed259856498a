// SPDX-License-Identifier: Apache-2.0
/// \file
/// JSON values that several reports share.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tessera/base/result.h"

namespace tessera::detail {

/// Keys keep the order in which they are set: `schema` comes first.
using Json = nlohmann::ordered_json;

Json json_of(const Diagnostic& diagnostic, const Source& source);

/// One line. Names in a program may contain any bytes; invalid UTF-8 becomes U+FFFD.
std::string dump(const Json& json);

}  // namespace tessera::detail
