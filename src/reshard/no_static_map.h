// SPDX-License-Identifier: Apache-2.0
/// \file
/// The refusal of distributions that do not say who holds an element.
#pragma once

#include <string_view>

#include "tessera/base/result.h"

namespace tessera::detail {

/// The error no_static_map with this reason, and help that says what to do first.
Failure no_static_map(std::string_view reason, Span span);

}  // namespace tessera::detail
