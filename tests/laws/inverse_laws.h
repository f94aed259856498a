// SPDX-License-Identifier: Apache-2.0
/// \file
/// Whether a layout has a left inverse, decided by enumeration: a judge that shares no code with the search.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "laws/algebra_laws.h"

namespace tessera::laws {

/// Whether some integers x solve Σ rows[i][j] · x[j] == sums[i] for all i: column operations bring the matrix
/// to echelon form, where each row determines at most one more unknown.
inline bool has_integer_solution(std::vector<std::vector<Index>> rows, std::vector<Index> sums) {
  const std::size_t unknowns = rows.empty() ? 0 : rows[0].size();
  std::size_t fixed = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    // Gathers the greatest common divisor of the free columns in column `fixed`.
    for (std::size_t c = fixed + 1; c < unknowns; ++c) {
      while (rows[r][c] != 0) {
        const Index times = rows[r][fixed] / rows[r][c];
        for (auto& row : rows) {
          row[fixed] -= times * row[c];
          std::swap(row[fixed], row[c]);
        }
      }
    }
    const Index step = fixed < unknowns ? rows[r][fixed] : 0;
    if (step == 0 ? sums[r] != 0 : sums[r] % step != 0) return false;
    if (step == 0) continue;
    const Index value = sums[r] / step;
    for (std::size_t i = 0; i < rows.size(); ++i) sums[i] -= rows[i][fixed] * value;
    ++fixed;
  }
  return true;
}

/// Whether a layout with the modes `extents` and one without an end after them maps each offset to its value.
inline bool fits_extents(const std::vector<std::pair<Index, Index>>& samples,
                         const std::vector<Index>& extents) {
  std::vector<std::vector<Index>> rows;
  std::vector<Index> sums;
  for (auto [offset, value] : samples) {
    std::vector<Index>& digits = rows.emplace_back();
    for (const Index e : extents) {
      digits.push_back(offset % e);
      offset /= e;
    }
    digits.push_back(offset);
    sums.push_back(value);
  }
  return has_integer_solution(rows, sums);
}

/// Whether any layout maps each offset to its value, by trying every chain of prime extents.
inline bool some_layout_fits(const std::vector<std::pair<Index, Index>>& samples, Index largest,
                             std::vector<Index>& extents) {
  if (fits_extents(samples, extents)) return true;
  for (Index p = 2; p <= largest; ++p) {
    bool prime = true;
    for (Index d = 2; d * d <= p; ++d) prime = prime && p % d != 0;
    if (!prime) continue;
    extents.push_back(p);
    if (some_layout_fits(samples, largest / p, extents)) return true;
    extents.pop_back();
  }
  return false;
}

/// Whether `values` (of coordinates 0, 1, ...) have a left inverse R with R(-x) = -R(x).
inline bool has_left_inverse(const std::vector<Index>& values) {
  std::map<Index, Index> back;
  Index largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Index v = values[i] < 0 ? -values[i] : values[i];
    const Index k = static_cast<Index>(i) * (values[i] < 0 ? -1 : 1);
    const auto [at, added] = back.emplace(v, k);
    if (!added && at->second != k) return false;
    largest = std::max(largest, v);
  }
  if (back.contains(0) && back[0] != 0) return false;
  back.erase(0);
  std::vector<Index> extents;
  return some_layout_fits({back.begin(), back.end()}, largest, extents);
}

/// left_inverse() answers exactly where there is a left inverse, and says why if not.
inline Held check_left_inverse_exists(const StridedLayout& l) {
  const detail::Outcome<StridedLayout> r = detail::left_inverse(l);
  const std::vector<Index> v = values(l);
  if (r) {
    for (std::size_t i = 0; i < v.size(); ++i) {
      if (defined_offset(*r, v[i]) != static_cast<Index>(i))
        return broken("left_inverse of", to_string(l), "is", to_string(*r), "wrong at", i);
    }
    return held();
  }
  const bool one_to_one = std::set(v.begin(), v.end()).size() == v.size();
  switch (r.error.code) {
    case Code::non_injective:
      return one_to_one ? broken("left_inverse of the injective", to_string(l), "says non_injective")
                        : held();
    case Code::not_invertible:
      return !has_left_inverse(v) ? held() : broken("left_inverse of", to_string(l), "exists");
    default:
      return broken("left_inverse of", to_string(l), "gave up:", detail::word(r.error.code));
  }
}

}  // namespace tessera::laws
