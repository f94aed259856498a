// SPDX-License-Identifier: Apache-2.0
/// \file
/// JSON values that several reports share.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/json.h"
#include "tessera/base/result.h"
#include "tessera/map/map_algebra.h"

namespace tessera::detail {

Json json_of(const Diagnostic& diagnostic, const Source& source);

/// {"lower": 3, "upper": 4}; null instead of an upper bound that is not known.
Json json_of(const Count& count);

/// One line. Names in a program may contain any bytes; invalid UTF-8 becomes U+FFFD.
std::string dump(const Json& json);

}  // namespace tessera::detail
