// SPDX-License-Identifier: Apache-2.0
/// \file
/// Whether one indexing relates a subset of what each of several others relates.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "base/small_vector.h"
#include "tessera/hlo/indexing.h"

namespace tessera::detail {

/// Corners of the box of a map that are in its domain, with the values of its results. Constraints often
/// exclude the first and the last point of the box, so the dimensions and the other variables have an end
/// each. A corner is computed when it is needed, because the first one mostly decides. The map must outlive
/// this object.
class Corners {
 public:
  explicit Corners(const IndexMap& map) : map_(map) {}

  /// Whether there is a corner with this number. Requires that there is one with the number before.
  bool has(std::size_t corner) {
    while (corner >= count_ && tried_ < 4) try_next();
    return corner < count_;
  }
  std::span<const Index> point(std::size_t corner) const {
    const std::size_t variables = map_.variables().size();
    return std::span(points_.data(), points_.size()).subspan(corner * variables, variables);
  }
  std::optional<Index> result(std::size_t corner, std::size_t i) const {
    return values_[corner * map_.results().size() + i];
  }

 private:
  void try_next();

  const IndexMap& map_;
  unsigned tried_ = 0;
  std::size_t count_ = 0;
  SmallVector<Index> points_ = {};
  SmallVector<std::optional<Index>> values_ = {};
};

/// An indexing that is compared with several others. It must outlive this object.
class Contained {
 public:
  explicit Contained(const Indexing& inner) : inner_(inner), corners_(inner.map) {}
  /// As `contained(inner, outer)`.
  bool in(const Indexing& outer);

 private:
  const Indexing& inner_;
  Corners corners_;
};

}  // namespace tessera::detail
