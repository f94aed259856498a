// SPDX-License-Identifier: Apache-2.0
/// \file
/// The type of JSON values. Sources that look into them include <nlohmann/json.hpp>.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace tessera {

/// Keys keep the order in which they are set: `schema` comes first.
using Json = nlohmann::ordered_json;

}  // namespace tessera
