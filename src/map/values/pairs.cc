// SPDX-License-Identifier: Apache-2.0
#include "map/values/pairs.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "base/cancellation.h"
#include "map/values/enumerate.h"

namespace tessera::detail {
namespace {

/// The pairs (start index, element) of a relation, in any order: rows of `width` numbers.
struct Pairs {
  std::size_t width = 0;
  std::size_t count = 0;
  std::vector<Index>& values;  ///< memory that the thread uses again

  /// The smallest interval of each column; empty if there are no rows.
  std::vector<Interval> hull() const {
    std::vector<Interval> out;
    for (std::size_t c = 0; c < width && count > 0; ++c) {
      Interval column = Interval::point(values[c]);
      for (std::size_t row = 1; row < count; ++row) {
        const Index value = values[row * width + c];
        column = {std::min(column.lower, value), std::max(column.upper, value)};
      }
      out.push_back(column);
    }
    return out;
  }

  /// A number for each row, distinct for distinct rows within the box, sorted and without repetitions. Empty
  /// if they do not fit in 64 bits.
  std::optional<std::vector<Index>> numbers(std::span<const Interval> box) const {
    std::vector<Index> strides(width);
    Index size = 1;
    for (std::size_t c = 0; c < width; ++c) {
      strides[c] = size;
      // Not Interval::count: these ends are values, and the least and the greatest are not infinite.
      const auto steps = checked_sub(box[c].upper, box[c].lower);
      const auto extent = steps ? checked_add(*steps, 1) : std::nullopt;
      if (!extent || mul_overflows(size, *extent, size)) return std::nullopt;
    }
    std::vector<Index> out(count);
    for (std::size_t row = 0; row < count; ++row) {
      for (std::size_t c = 0; c < width; ++c)
        out[row] += (values[row * width + c] - box[c].lower) * strides[c];
    }
    if (!std::ranges::is_sorted(out)) std::ranges::sort(out);
    out.erase(std::ranges::unique(out).begin(), out.end());
    return out;
  }
};

/// Empty if a value is undefined, and if the question is canceled.
std::optional<Pairs> pairs_of(const IndexMap& map, std::vector<Index>& memory) {
  const std::size_t dims = map.dim_count();
  const std::size_t results = map.results().size();
  memory.clear();
  Pairs pairs{.width = dims + results, .values = memory};
  if (map.known_empty()) return pairs;
  MapEvaluator evaluator(map);
  for (BoxRows rows(box_of(map.domain())); rows.next();) {
    evaluator.run(rows);
    const auto base = rows.base();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!evaluator.inside(i)) continue;
      ++pairs.count;
      pairs.values.insert(pairs.values.end(), base.begin(), base.begin() + static_cast<std::ptrdiff_t>(dims));
      if (dims > 0 && dims == base.size()) pairs.values.back() += static_cast<Index>(i);
      for (std::size_t r = 0; r < results; ++r) {
        if (!evaluator.defined(r, i)) return std::nullopt;
        pairs.values.push_back(evaluator.value(r, i));
      }
    }
  }
  if (cancelled()) return std::nullopt;
  return pairs;
}

}  // namespace

std::optional<bool> same_pairs(const IndexMap& a, const IndexMap& b) {
  thread_local std::vector<Index> memory[2];
  const auto of_a = pairs_of(a, memory[0]);
  const auto of_b = of_a ? pairs_of(b, memory[1]) : std::nullopt;
  if (!of_b) return std::nullopt;
  if (of_a->count == 0 || of_b->count == 0) return of_a->count == of_b->count;
  const std::vector<Interval> box = of_a->hull();
  if (box != of_b->hull()) return false;
  const auto numbers = of_a->numbers(box);
  if (!numbers) return std::nullopt;
  return numbers == of_b->numbers(box);
}

}  // namespace tessera::detail
