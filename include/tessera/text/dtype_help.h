// SPDX-License-Identifier: Apache-2.0
/// \file
/// What to write instead of a word that is no element type.
#pragma once

#include <string>
#include <string_view>

namespace tessera {

/// The type that was probably meant, `did you mean f32?`: by its name in other notations (float32, half, i8),
/// or spelled a little otherwise; else what types there are.
std::string dtype_help(std::string_view word);

}  // namespace tessera
