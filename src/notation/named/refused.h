// SPDX-License-Identifier: Apache-2.0
/// \file
/// The error not_representable of named layouts.
#pragma once

#include <string>
#include <string_view>

#include "tessera/base/result.h"

namespace tessera::detail {

/// not_representable with a way out.
Failure refused(std::string_view reason, std::string message, std::string help, Span span = {});

}  // namespace tessera::detail
