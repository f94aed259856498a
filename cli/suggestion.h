// SPDX-License-Identifier: Apache-2.0
/// \file
/// "Did you mean": the closest of several words.
#pragma once

#include "base/nearest.h"

namespace tessera::cli {

using detail::nearest;

}  // namespace tessera::cli
