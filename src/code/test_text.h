// SPDX-License-Identifier: Apache-2.0
/// \file
/// Tests of generated code, in its own language.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "code/function.h"

namespace tessera::coding {

/// The results at a point. Empty if a condition fails there.
using Expected = std::function<std::optional<std::vector<Index>>(std::span<const Index>)>;

/// A program that calls the function at a few points of the box of its parameters, compares the results with
/// numbers in a table, and, if there are not too many points, compares a hash over all of them. MLIR: a
/// `main` that asserts the results at the points of the table.
std::string function_test(const Function& function, const Expected& expected);

/// One of several functions with one result and without conditions: which numbers of a common point it takes.
struct FunctionCall {
  Function function;
  std::vector<std::size_t> arguments = {};
};
/// As function_test, for functions that are called at the points of one box; the results are those of all.
std::string functions_test(std::span<const FunctionCall> calls, std::span<const Parameter> box,
                           const Expected& expected);
/// The same with these points instead of those of a box.
std::string points_test(const Function& function, std::span<const std::vector<Index>> points,
                        const Expected& expected);

/// The most points that a test visits, or elements that it copies.
Index point_limit(const Rules& rules);

/// \name Parts of tests.
/// @{

/// FNV-1a over 64-bit words: short in every language.
class Hash {
 public:
  void add(std::uint64_t value) { state_ = (state_ ^ value) * 1099511628211u; }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 14695981039346656037u;
};
std::string_view c_test_start(const Rules& rules);
std::string_view python_test_start();

/// Visits a box of at least one point in row-major order.
template <class Visit>
void for_each_point(std::span<const Interval> box, Visit&& visit) {
  std::vector<Index> point;
  for (const Interval range : box) point.push_back(range.lower);
  for (;;) {
    visit(std::span<const Index>(point));
    std::size_t d = box.size();
    while (d > 0 && point[d - 1] == box[d - 1].upper) {
      point[d - 1] = box[d - 1].lower;
      --d;
    }
    if (d == 0) return;
    ++point[d - 1];
  }
}
/// The number of points, at most cap + 1.
Index count_points(std::span<const Interval> box, Index cap);
/// @}

}  // namespace tessera::coding
