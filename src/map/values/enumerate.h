// SPDX-License-Identifier: Apache-2.0
/// \file
/// Walks over the points of a box and evaluates maps at each point.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "expr/questions/row_evaluator.h"
#include "tessera/map/index_map.h"

namespace tessera {

/// The intervals of all variables.
std::vector<Interval> box_of(const Domain& domain);

/// Number of points of a box; empty if it is infinite or overflows 64 bits. It is 1 without intervals.
std::optional<Index> point_count(std::span<const Interval> box);

/// Walks over a finite box in lexicographic order (last variable fastest), in rows of at most kRowPoints
/// points that differ in the last variable only.
class BoxRows {
 public:
  static constexpr std::size_t kRowPoints = RowEvaluator::kRowPoints;

  explicit BoxRows(std::vector<Interval> box);

  /// Moves to the next row, or in the first call to the first row; false after the last row, and if the
  /// question is no longer wanted.
  bool next();
  /// The first point of the row. In point i of the row, the last variable is `base.back() + i`.
  std::span<const Index> base() const { return base_; }
  std::size_t size() const { return size_; }
  std::vector<Index> point(std::size_t i) const;

 private:
  std::vector<Interval> box_;
  std::vector<Index> base_;
  std::size_t size_ = 0;
  bool started_ = false;
};

/// The domain of a map and its values, point by point: constraints and results in one evaluator.
class MapEvaluator {
 public:
  /// The map must outlive the evaluator.
  explicit MapEvaluator(const IndexMap& map);
  explicit MapEvaluator(IndexMap&&) = delete;

  void run(const BoxRows& rows);
  /// Whether point i of the row satisfies the intervals and constraints of the domain.
  bool inside(std::size_t i) const;
  bool defined(std::size_t result, std::size_t i) const {
    return evaluator_.defined(constraint_count_ + result, i);
  }
  Index value(std::size_t result, std::size_t i) const {
    return evaluator_.value(constraint_count_ + result, i);
  }
  /// All results at point i; empty if one has no value.
  std::optional<std::vector<Index>> values(std::size_t i) const;

 private:
  const IndexMap& map_;
  std::size_t constraint_count_;
  RowEvaluator evaluator_;
  bool row_inside_ = false;             // whether all variables but the last are in their intervals
  Interval last_ = Interval::point(0);  // positions in the row where the last variable is in its interval
};

/// A point of the domain of a map, during a walk.
class WalkedPoint {
 public:
  WalkedPoint(const BoxRows& rows, const MapEvaluator& evaluator, std::size_t place)
      : rows_(rows), evaluator_(evaluator), place_(place) {}

  std::vector<Index> coordinates() const { return rows_.point(place_); }
  /// Whether a result has a value, and its value.
  bool defined(std::size_t result) const { return evaluator_.defined(result, place_); }
  Index value(std::size_t result) const { return evaluator_.value(result, place_); }
  /// All results; empty if one has no value.
  std::optional<std::vector<Index>> values() const { return evaluator_.values(place_); }

 private:
  const BoxRows& rows_;
  const MapEvaluator& evaluator_;
  std::size_t place_;
};

/// Calls visit(WalkedPoint) for each point of the box that is in the domain, in lexicographic order, until
/// visit returns false. Returns false if visit did.
template <class Visit>
bool for_each_point(const IndexMap& map, std::vector<Interval> box, const Visit& visit) {
  MapEvaluator evaluator(map);
  for (BoxRows rows(std::move(box)); rows.next();) {
    evaluator.run(rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (evaluator.inside(i) && !visit(WalkedPoint(rows, evaluator, i))) return false;
    }
  }
  return true;
}

}  // namespace tessera
