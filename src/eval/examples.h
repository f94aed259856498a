// SPDX-License-Identifier: Apache-2.0
/// \file
/// An example of each function.
#pragma once

#include <string_view>

namespace tessera::eval {

/// A call that shows what a function does; empty for an unknown name.
std::string_view example_of(std::string_view function);

}  // namespace tessera::eval
