// SPDX-License-Identifier: Apache-2.0
/// \file
/// Numbers that depend on sizes by their residues: which moduli matter, which residues occur, and conditions
/// that say which of them have a value.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "size/region.h"

namespace tessera::symbolic {

/// For each size, a modulus: polynomials modulo another number depend on its residue alone.
struct Periods {
  std::map<SizeVariable, Integer> moduli = {};
  std::string refused = {};  ///< why some polynomial has no period

  /// Adds what `p` modulo `modulus` depends on.
  void add(const Polynomial& p, Integer modulus, const Space& space);
};

/// The residues of the sizes of a region, one for each modulus, in the order of the map; nothing if there are
/// more than kSizeLimits.residues. Some may not occur.
std::optional<std::vector<std::vector<Integer>>> residues_of(const SizeRegion& region,
                                                             const std::map<SizeVariable, Integer>& moduli);
/// The sizes of the region with these residues; nothing if there are none.
std::optional<SizeRegion> with_residues(const SizeRegion& region,
                                        const std::map<SizeVariable, Integer>& moduli,
                                        const std::vector<Integer>& residues);

/// What each combination of residues that occurs has, and their names.
template <class Value>
struct ResidueTable {
  std::vector<std::string> names = {};
  std::vector<Integer> moduli = {};
  std::map<std::vector<Integer>, Value> rows = {};
};

/// The smallest divisor of each modulus whose residues tell the values apart; 1: the values do not depend on
/// that size.
template <class Value>
std::vector<Integer> needed_moduli(const ResidueTable<Value>& table) {
  std::vector<Integer> out = table.moduli;
  const auto tells_apart = [&] {
    std::map<std::vector<Integer>, Value> known;
    for (const auto& [residues, value] : table.rows) {
      std::vector<Integer> key = residues;
      for (std::size_t i = 0; i < key.size(); ++i) key[i] = floor_mod(key[i], out[i]);
      if (known.emplace(std::move(key), value).first->second != value) return false;
    }
    return true;
  };
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (Integer d = 1; d <= table.moduli[i]; ++d) {
      if (table.moduli[i] % d != 0) continue;
      out[i] = d;
      if (tells_apart()) break;
    }
  }
  return out;
}

/// Conditions, to be joined by `or`, that are true exactly for the residues that are `in`, among those that
/// occur: with small moduli, unless this is one of many `tables`. Nothing if there are more than `most` of
/// them.
std::optional<std::vector<std::string>> conditions_of(const ResidueTable<bool>& in, std::size_t most,
                                                      std::size_t tables);

/// `2*gcd(N + 1,16)`, if that is the value for all residues of one size, and they have several values.
std::string gcd_formula(const ResidueTable<Integer>& table);

}  // namespace tessera::symbolic
