// SPDX-License-Identifier: Apache-2.0
/// \file
/// Parses the maps of vectors, and compares them by the rules in the README of `indexing`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "runner/check.h"
#include "tessera/map/index_map.h"
#include "tessera/text/index_map.h"

namespace tessera::vectors {

/// A map, or UNDEFINED.
using Answer = std::variant<IndexMap, UndefinedMap>;
std::string to_text(const Answer& answer);

/// A map in a vector. Without a domain, its variables are unbounded. Empty if the text does not parse.
std::optional<Answer> read_answer(std::string_view text);

enum class Match {
  exact,                      ///< equivalent, not larger, no interval wider (also `xla-compat`)
  equivalent,                 ///< same variables, domain and values
  equivalent_and_not_larger,  ///< the same as exact
};
/// The value of field `match`, or exact if the field is absent. Empty for an unknown word.
std::optional<Match> match_of(const Json& row);

/// The reason why `got` is not an acceptable answer. Empty if it is acceptable. Compares by structure, then
/// by enumeration, then with isl; does not use the simplifier. An undecided comparison is not acceptable.
std::string mismatch(const IndexMap& expected, const IndexMap& got, Match match);
std::string mismatch(const Answer& expected, const Answer& got, Match match);

/// Compares `got` with the map text of field `expected`.
VectorResult judge_map(const Json& row, const Answer& got);

}  // namespace tessera::vectors
