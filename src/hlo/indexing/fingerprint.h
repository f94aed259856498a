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

/// A hash of properties of an indexing that do not depend on the order of the range variables and, if there
/// are not too many, of the elements that it reads at three start indices.
class Fingerprint {
 public:
  /// The complete fingerprint. O(size of the map).
  explicit Fingerprint(const Indexing& x) : Fingerprint(x, x.map.domain()) {
    add_elements(x, x.map.domain());
  }
  /// Without elements, and with start indices from `start` instead of the map's own domain. Fingerprints can
  /// be compared only if they use the same `start`.
  Fingerprint(const Indexing& x, const Domain& start);
  /// Adds the elements, unless that was done before.
  void add_elements(const Indexing& x, const Domain& start);

  /// If this is false, `same_relation` is false, too. Compares elements only if both have them.
  friend bool may_be_same(const Fingerprint& a, const Fingerprint& b) {
    if (a.few_points_ != b.few_points_) return false;
    // Without constraints, a map is defined exactly in its box.
    if (a.box_ != b.box_) return a.few_points_ && (a.constrained_ || b.constrained_);
    return a.form_ == b.form_ && (!a.elements_ || !b.elements_ || *a.elements_ == *b.elements_);
  }
  /// Whether the dimensions have the same bounds and the results the same text, as far as hashes tell.
  friend bool may_be_written_alike(const Fingerprint& a, const Fingerprint& b) {
    return a.results_ == b.results_ && a.box_ == b.box_;
  }
  /// Whether the boxes of the dimensions are the same.
  friend bool same_box(const Fingerprint& a, const Fingerprint& b) { return a.box_ == b.box_; }

 private:
  bool few_points_ = false;  ///< whether relations are compared point by point, whatever their form
  bool constrained_ = false;
  bool complete_ = true;    ///< whether there are no elements to add
  std::uint64_t form_ = 0;  ///< hash of the form of a map with many points or runtime values
  std::uint64_t box_ = 0;   ///< hash of the bounds of the dimensions
  std::uint64_t results_ = 0;
  std::optional<std::uint64_t> elements_ = {};
};

}  // namespace tessera::detail
