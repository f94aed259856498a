// SPDX-License-Identifier: Apache-2.0
/// \file
/// What indexings of the same relation have in common: in a set, only members with equal fingerprints need to
/// be compared.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tessera/hlo/indexing.h"

namespace tessera::detail {

/// The number of points of the map's variables if there are at most 1024: so few are compared one by one.
std::optional<Index> few_points(const IndexMap& map);

/// The elements that an indexing reads at three fixed start indices or, if these are too many to enumerate,
/// properties of its map that renaming range variables does not change.
class Fingerprint {
 public:
  /// O(size of the map).
  explicit Fingerprint(const Indexing& x) : Fingerprint(x, x.map.domain()) {}
  /// With start indices from another box, the same for both fingerprints that are compared.
  Fingerprint(const Indexing& x, const Domain& start);

  /// No: `same_relation` of the two would also say no.
  friend bool may_be_same(const Fingerprint& a, const Fingerprint& b) {
    if (a.has_few_points() != b.has_few_points()) return false;
    // A box without constraints is exactly where a map is defined.
    if (a.box_ != b.box_) return a.has_few_points() && (a.constrained_ || b.constrained_);
    return a.kind_ != b.kind_ || a.kind_ == Kind::few_points || a.hash_ == b.hash_;
  }

 private:
  /// elements: has few points, and is compared by its elements at the start indices. few_points: too many
  /// elements at a start index; it may be the same as any other with few points. form: has many points, or
  /// values that are read at run time; compared by its form.
  enum class Kind : std::uint8_t { elements, few_points, form };
  bool has_few_points() const { return kind_ != Kind::form; }

  Kind kind_ = Kind::form;
  bool constrained_ = false;
  std::uint64_t hash_ = 0;
  std::uint64_t box_ = 0;  ///< of the bounds of the dimensions
};

/// As `insert` into a set whose first members have these fingerprints; those of the others are added.
bool insert(IndexingSet& set, std::vector<Fingerprint>& fingerprints, Indexing indexing);

}  // namespace tessera::detail
