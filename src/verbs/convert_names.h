// SPDX-License-Identifier: Apache-2.0
/// \file
/// Conversions to named layouts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tessera/base/result.h"
#include "tessera/notation/named_layout.h"

namespace tessera::verbs {

/// The names of a layout, at least one.
struct NamesAnswer {
  NamedOrLayout from;
  std::vector<NamedLayout> names;
  bool all = false;  ///< whether all are printed, not only the first
  std::vector<std::string> notes = {};
};

/// `type`: of the elements; without one, a name is its own answer. Errors: not_representable with reason
/// `unnamed`; undecided.
Result<NamesAnswer> names_in(const NamedOrLayout& from, const std::optional<CellType>& type, bool all);

/// One line for each name that is printed.
std::vector<std::string> lines_of(const NamesAnswer& answer);
std::string to_json(const NamesAnswer& answer);

}  // namespace tessera::verbs
