// SPDX-License-Identifier: Apache-2.0
/// \file
/// Sets of result tuples, and the set of all values of a map.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tessera/map/judge.h"

namespace tessera::detail {

/// A set of tuples: a table with one bit for each cell of a box if the box is small enough, else a sorted
/// list.
class ValueSet {
 public:
  /// An empty set of tuples of the box's rank. A list accepts any tuple, a table only tuples in the box.
  ValueSet(std::vector<Interval> box, Index most_cells);

  bool is_table() const { return !bits_.empty(); }
  std::size_t rank() const { return box_.size(); }
  Index size() const { return size_; }
  void insert(std::span<const Index> tuple);

  /// Calls `visit` with each tuple in lexicographic order until it returns false.
  template <class Visit>
  void for_each(const Visit& visit) const {
    if (!is_table()) {
      for (const std::vector<Index>& tuple : list_) {
        if (!visit(std::span<const Index>(tuple))) return;
      }
      return;
    }
    std::vector<Index> tuple(box_.size());
    for (std::size_t word = 0; word < bits_.size(); ++word) {
      for (std::uint64_t left = bits_[word]; left != 0; left &= left - 1) {
        auto cell = static_cast<Index>(word * 64) + __builtin_ctzll(left);
        for (std::size_t r = box_.size(); r-- > 0;) {
          const Index side = box_[r].upper - box_[r].lower + 1;
          tuple[r] = box_[r].lower + cell % side;
          cell /= side;
        }
        if (!visit(std::span<const Index>(tuple))) return;
      }
    }
  }

 private:
  std::vector<Interval> box_;
  std::vector<std::uint64_t> bits_;
  std::set<std::vector<Index>> list_;
  Index size_ = 0;
};

/// Whether the limits allow enumerating the variables' box and evaluating this map at each point. `listed`
/// says that each value is stored in a list.
bool can_enumerate(const IndexMap& map, const JudgeLimits& limits, bool listed);

/// The reason that an answer gives if the limits do not allow enumeration.
std::string enumeration_limit(const JudgeLimits& limits);

/// The number of distinct nodes in results and constraints, which is the number of operations at each point.
std::uint64_t distinct_nodes(const IndexMap& map);

/// All values, point by point. Empty if the box has more points than the limits allow.
std::optional<ValueSet> enumerated_values(const IndexMap& map, const JudgeLimits& limits);

/// All values of an expression over the box of the domain, ignoring its constraints. The terms of each sum in
/// it must share no variable: their values are then independent, so the values of a sum are all sums of the
/// terms' values. Uses a table of bits and doubles the number of values of a variable in each step. O(cells *
/// (terms + log of the extents)). Empty if terms share a variable, a sum has two terms whose values are not
/// evenly spaced, there may be points without a value, or a table has more cells than the limits allow.
std::optional<ValueSet> independent_values(Expr expr, const Domain& domain, const JudgeLimits& limits);

}  // namespace tessera::detail
