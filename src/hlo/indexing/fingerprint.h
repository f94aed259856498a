// SPDX-License-Identifier: Apache-2.0
/// \file
/// Fingerprints of indexings: only those with matching fingerprints can be the same relation.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tessera/hlo/indexing.h"

namespace tessera::detail {

/// The number of points of the map's variables if it is at most 1024. Relations with so few points are
/// compared point by point.
std::optional<Index> few_points(const IndexMap& map);

/// A hash of the elements that an indexing reads at three start indices. If there are too many, it is a hash
/// of properties that do not depend on the order of the range variables.
class Fingerprint {
 public:
  /// O(size of the map).
  explicit Fingerprint(const Indexing& x) : Fingerprint(x, x.map.domain()) {}
  /// Takes the start indices from `start` instead of the map's own domain. Fingerprints can be compared only
  /// if they use the same `start`.
  Fingerprint(const Indexing& x, const Domain& start);

  /// If this is false, `same_relation` is false, too.
  friend bool may_be_same(const Fingerprint& a, const Fingerprint& b) {
    if (a.has_few_points() != b.has_few_points()) return false;
    // Without constraints, a map is defined exactly in its box.
    if (a.box_ != b.box_) return a.has_few_points() && (a.constrained_ || b.constrained_);
    return a.kind_ != b.kind_ || a.kind_ == Kind::few_points || a.hash_ == b.hash_;
  }

 private:
  /// elements: the map has few points; the hash is that of the elements. few_points: it has few points, but
  /// too many elements at one start index, so it may equal any other map with few points. form: it has many
  /// points or runtime values; the hash is that of its form.
  enum class Kind : std::uint8_t { elements, few_points, form };
  bool has_few_points() const { return kind_ != Kind::form; }

  Kind kind_ = Kind::form;
  bool constrained_ = false;
  std::uint64_t hash_ = 0;
  std::uint64_t box_ = 0;  ///< hash of the bounds of the dimensions
};

/// As `insert`, with the fingerprints of the first members. Appends those of the other members.
bool insert(IndexingSet& set, std::vector<Fingerprint>& fingerprints, Indexing indexing);

}  // namespace tessera::detail
