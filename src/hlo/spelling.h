// SPDX-License-Identifier: Apache-2.0
/// \file
/// "Did you mean ...?"
#pragma once

#include <string_view>

#include "tessera/hlo/module.h"

namespace tessera::detail {

/// The known opcode, instruction or computation whose name differs least, if that is little; else empty.
std::string_view similar_opcode(std::string_view text);
std::string_view similar_name(std::string_view name, const Computation& computation);
std::string_view similar_name(std::string_view name, const HloModule& module);

}  // namespace tessera::detail
