// SPDX-License-Identifier: Apache-2.0
/// \file
/// Families of named layouts, and the names of a layout, as text and as JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "tessera/notation/named_layout.h"

namespace tessera {

/// One line for each family, without the last line break: the name with its parameters, the meaning.
std::string to_list(std::span<const NamedFamilyInfo* const> families);
/// Everything about one family, with the digits, the container and three points of a small layout.
std::string to_text(const NamedFamilyInfo& family);
/// One line for each name.
std::string to_list(std::span<const NamedLayout> names);

Json json_of(const NamedFamilyInfo& family);
Json json_of(const NamedLayout& name);

}  // namespace tessera
