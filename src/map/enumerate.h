// SPDX-License-Identifier: Apache-2.0
/// \file
/// Walking over the points of a box and evaluating expressions at all of them: the first oracle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tessera/map/index_map.h"

namespace tessera {

/// The intervals of all variables.
std::vector<Interval> box_of(const Domain& domain);

/// Number of points of a box; empty if it is infinite or overflows 64 bits. One for no intervals.
std::optional<Index> point_count(std::span<const Interval> box);

/// Walks over a finite box in lexicographic order (last variable fastest), in rows of at most kMaxRow points
/// that differ in the last variable only.
class BoxRows {
 public:
  static constexpr std::size_t kMaxRow = 128;

  explicit BoxRows(std::vector<Interval> box);

  /// Moves to the next row (to the first one at first); false after the last.
  bool next();
  /// First point of the row. Point i of it has `base.back() + i` as last variable.
  std::span<const Index> base() const { return base_; }
  std::size_t size() const { return size_; }
  std::vector<Index> point(std::size_t i) const;

 private:
  std::vector<Interval> box_;
  std::vector<Index> base_;
  std::size_t size_ = 0;
  bool started_ = false;
};

/// Evaluates many expressions at the points of a row, each distinct node once. Checked arithmetic as
/// `evaluate`.
class RowEvaluator {
 public:
  RowEvaluator(std::span<const Expr> exprs, std::size_t variable_count);

  /// Computes all expressions at base, base + e, ..., base + (size - 1) e, with e the last unit vector.
  void run(std::span<const Index> base, std::size_t size);
  void run(const BoxRows& rows) { run(rows.base(), rows.size()); }

  /// The value of expression `expr` at point i of the row, where it has one.
  bool defined(std::size_t expr, std::size_t i) const;
  Index value(std::size_t expr, std::size_t i) const;

 private:
  struct Instruction {
    ExprKind kind;
    bool varies = false;  // depends on the last variable; others hold one value for the whole row
    Index value = 0;      // of a constant, number of a variable
    std::uint32_t lhs = 0;
    std::uint32_t rhs = 0;
  };
  std::uint32_t compile(Expr e, std::size_t variable_count, class InstructionTable& table);

  std::vector<Instruction> code_;
  std::vector<std::uint32_t> outputs_;
  std::vector<Index> values_;          // kMaxRow per instruction
  std::vector<std::uint8_t> defined_;  // likewise
};

/// The domain of a map and its values, point by point: constraints and results in one evaluator.
class MapEvaluator {
 public:
  /// The map must outlive the evaluator.
  explicit MapEvaluator(const IndexMap& map);
  explicit MapEvaluator(IndexMap&&) = delete;

  void run(const BoxRows& rows);
  /// Point i of the row is in the domain, intervals and constraints.
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
  bool row_inside_ = false;             // of the variables but the last
  Interval last_ = Interval::point(0);  // positions in the row where the last variable is in its interval
};

}  // namespace tessera
