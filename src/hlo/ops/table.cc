// SPDX-License-Identifier: Apache-2.0
#include "hlo/ops/table.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "hlo/limits.h"
#include "tessera/base/index.h"

namespace tessera::detail {
namespace {

/// Whether a table of this extent may have the period: one copy does not repeat.
bool may_repeat(Index extent, Index period) {
  return period == 1 ||
         (2 * period <= extent && (period <= kHloLimits.ops.table_periods || extent % period == 0));
}

std::size_t at_index(Index i) { return static_cast<std::size_t>(i); }

/// A table and the expressions of its digits, less what is already in the sum.
class Digits {
 public:
  Digits(IntegerTable table, std::vector<Expr> at) : values_(std::move(table.values)) {
    for (std::size_t k = 0; k < at.size(); ++k) {
      const Interval box = table.box[k];
      extents_.push_back(box.upper - box.lower + 1);
      digits_.push_back(at[k]);
      first_.push_back(box.lower);
    }
  }

  /// Takes everything that grows steadily from period to period out of the table, into the sum.
  void take_periods() {
    bool again = true;
    while (again) {
      again = false;
      for (std::size_t k = 0; k < extents_.size(); ++k) again = take_period(k) || again;
    }
  }

  std::vector<TablePiece> pieces(std::size_t limit) const {
    const auto longest = std::ranges::max_element(extents_);
    if (longest == extents_.end() || *longest == 1) return {{.value = sum_ + values_[0]}};
    const auto along = static_cast<std::size_t>(longest - extents_.begin());
    std::vector<TablePiece> out;
    const Index step = stride(along);
    const Index extent = extents_[along];
    for (Index first = 0; first < std::ssize(values_); ++first) {
      if (first / step % extent != 0) continue;  // not the first of its line
      for (Index begin = 0; begin < extent;) {
        const auto value = [&](Index i) { return values_[at_index(first + i * step)]; };
        Index slope = 0;
        Index end = begin + 1;
        if (end < extent && !sub_overflows(value(end), value(begin), slope)) {
          for (Index next = 0; end < extent && !sub_overflows(value(end), value(end - 1), next); ++end) {
            if (next != slope) break;
          }
        }
        if (end == begin + 1) slope = 0;
        if (out.size() == limit) return {};
        TablePiece piece;
        for (std::size_t k = 0; k < extents_.size(); ++k) {
          const Index digit = first / stride(k) % extents_[k];
          const Interval range = k == along ? Interval{begin, end - 1} : Interval::point(digit);
          if (range.lower > 0 || range.upper < extents_[k] - 1)
            piece.where.push_back({digits_[k], {range.lower + first_[k], range.upper + first_[k]}});
        }
        const Expr grown = (digits_[along] - first_[along] - begin) * slope;
        piece.value = sum_ + grown + value(begin);
        out.push_back(std::move(piece));
        begin = end;
      }
    }
    return out;
  }

 private:
  Index stride(std::size_t k) const {
    Index out = 1;
    for (std::size_t j = k + 1; j < extents_.size(); ++j) out *= extents_[j];
    return out;
  }

  /// By how much each value differs from that one period before it; empty if not all differ by the same.
  std::optional<Index> growth(std::size_t k, Index period) const {
    const Index step = stride(k);
    std::optional<Index> found;
    for (Index i = 0; i < std::ssize(values_); ++i) {
      if (i / step % extents_[k] < period) continue;
      Index difference = 0;
      if (sub_overflows(values_[at_index(i)], values_[at_index(i - period * step)], difference)) return {};
      if (found && *found != difference) return {};
      found = difference;
    }
    return found;
  }

  bool take_period(std::size_t k) {
    const Index extent = extents_[k];
    for (Index period = 1; period < extent; ++period) {
      if (!may_repeat(extent, period)) continue;
      const auto grown = growth(k, period);
      if (!grown) continue;
      const Expr digit = digits_[k] - first_[k];
      sum_ = sum_ + floor_div(digit, period) * *grown;
      const Index step = stride(k);
      std::vector<Index> first;
      for (Index i = 0; i < std::ssize(values_); ++i) {
        if (i / step % extent < period) first.push_back(values_[at_index(i)]);
      }
      values_ = std::move(first);
      extents_[k] = period;
      digits_[k] = period == 1 ? Expr() : mod(digit, period);
      first_[k] = 0;
      return true;
    }
    return false;
  }

  std::vector<Index> values_;
  std::vector<Index> extents_;
  std::vector<Expr> digits_;
  std::vector<Index> first_;  ///< the value of each digit at the first entry
  Expr sum_;
};

}  // namespace

std::vector<TablePiece> table_pieces(IntegerTable table, std::vector<Expr> at, std::size_t limit) {
  Digits digits(std::move(table), std::move(at));
  digits.take_periods();
  return digits.pieces(limit);
}

}  // namespace tessera::detail
