// SPDX-License-Identifier: Apache-2.0
/// \file
/// Suggests an element type for an unknown word.
#pragma once

#include <string>
#include <string_view>

namespace tessera {

/// `did you mean f32?` for the name of a type in other notations (float32, half, i8) or a misspelling; else
/// the list of types.
std::string dtype_help(std::string_view word);

}  // namespace tessera
