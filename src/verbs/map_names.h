// SPDX-License-Identifier: Apache-2.0
/// \file
/// Texts of maps with names for sizes, as the verbs `map ...` read them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "notation/symbolic/symbolic_map.h"
#include "tessera/base/result.h"

namespace tessera::verbs {

/// The text of a map in a field, and why it is no map of numbers, if it is none.
struct MapText {
  std::string_view field;
  const std::string& text;
  const std::optional<Diagnostic>& unread;
};

/// Whether assumptions are given, or a text is not a map of numbers but may have names for sizes.
bool asks_for_all_sizes(const std::vector<MapText>& texts, const std::string& where);

/// The maps of a question about all sizes, and what --where assumes. Errors, about their fields: those of
/// symbolic::SymbolicMap and of the assumptions.
struct SizedMaps {
  std::vector<symbolic::SymbolicMap> maps;
  symbolic::AssumptionList where;
};
Result<SizedMaps> sized_maps(const std::vector<MapText>& texts, const std::string& where);

/// An option that a map with names for sizes does not have.
Failure not_with_names(std::string_view option, std::string_view why);

}  // namespace tessera::verbs
