// SPDX-License-Identifier: Apache-2.0
/// \file
/// Sets of variables of a map.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tessera/map/index_map.h"

namespace tessera::detail {

/// A set of variable numbers, as bits. Numbers below 64 need no memory.
class VariableSet {
 public:
  VariableSet() = default;
  explicit VariableSet(Expr e) { add(e); }
  explicit VariableSet(std::span<const Expr> exprs) { add(exprs); }

  /// The numbers from 0 to `count` - 1.
  static VariableSet below(std::size_t count) {
    VariableSet out;
    if (count < 64) {
      out.low_ = (std::uint64_t{1} << count) - 1;
    } else {
      for (std::size_t v = 0; v < count; ++v) out.insert(v);
    }
    return out;
  }

  void insert(std::size_t v) {
    if (v >= 64 && v / 64 > high_.size()) high_.resize(v / 64);
    word(v / 64) |= std::uint64_t{1} << (v % 64);
  }
  /// Adds the variables of an expression. O(1) if all numbers are below 63, else O(distinct nodes).
  void add(Expr e) {
    const std::uint64_t own = e.node().variables;
    if ((own >> 63) == 0) {
      low_ |= own;
    } else {
      for (const Index v : variables(e)) insert(static_cast<std::size_t>(v));
    }
  }
  void add(std::span<const Expr> exprs) {
    for (const Expr e : exprs) add(e);
  }
  void add(const VariableSet& other) {
    if (high_.size() < other.high_.size()) high_.resize(other.high_.size());
    for (std::size_t w = 0; w <= other.high_.size(); ++w) word(w) |= other.at(w);
  }

  bool empty() const {
    return low_ == 0 && std::ranges::all_of(high_, [](std::uint64_t w) { return w == 0; });
  }
  bool contains(std::size_t v) const { return (at(v / 64) >> (v % 64) & 1) != 0; }
  /// Whether all numbers from `first` to `end` - 1 are members.
  bool contains_all(std::size_t first, std::size_t end) const {
    while (first < end && contains(first)) ++first;
    return first >= end;
  }
  bool contains(const VariableSet& other) const {
    for (std::size_t w = 0; w <= other.high_.size(); ++w) {
      if ((other.at(w) & ~at(w)) != 0) return false;
    }
    return true;
  }
  bool intersects(const VariableSet& other) const {
    for (std::size_t w = 0; w <= std::min(high_.size(), other.high_.size()); ++w) {
      if ((at(w) & other.at(w)) != 0) return true;
    }
    return false;
  }
  /// The members below 64, as bits.
  std::uint64_t low_bits() const { return low_; }

 private:
  std::uint64_t at(std::size_t w) const { return w == 0 ? low_ : w <= high_.size() ? high_[w - 1] : 0; }
  std::uint64_t& word(std::size_t w) { return w == 0 ? low_ : high_[w - 1]; }

  std::uint64_t low_ = 0;
  std::vector<std::uint64_t> high_ = {};  // the words after the first
};

/// Whether a variable occurs in the expression. O(1) if its number is below 63.
inline bool uses_variable(Expr e, std::size_t v) {
  return v < 63 ? (e.node().variables >> v & 1) != 0 : VariableSet(e).contains(v);
}

}  // namespace tessera::detail
