// SPDX-License-Identifier: Apache-2.0
// The assignment with the largest gain.
#include "reshard/plan/assignment.h"

#include <limits>

namespace tessera::detail {

// The Hungarian method with potentials, row by row.
std::vector<std::size_t> best_assignment(const std::vector<std::vector<Index>>& gain) {
  const std::size_t rows = gain.size();
  const std::size_t columns = rows == 0 ? 0 : gain[0].size();
  constexpr Index kFar = std::numeric_limits<Index>::max();
  std::vector<Index> row_potential(rows + 1, 0);
  std::vector<Index> column_potential(columns + 1, 0);
  std::vector<std::size_t> row_of(columns + 1, 0);  // 1-based rows; 0: none
  std::vector<std::size_t> previous(columns + 1, 0);
  for (std::size_t row = 1; row <= rows; ++row) {
    std::vector<Index> distance(columns + 1, kFar);
    std::vector<bool> done(columns + 1, false);
    std::size_t column = 0;
    row_of[0] = row;
    do {
      done[column] = true;
      const std::size_t at = row_of[column];
      Index least = kFar;
      std::size_t next = 0;
      for (std::size_t c = 1; c <= columns; ++c) {
        if (done[c]) continue;
        const Index reduced = -gain[at - 1][c - 1] - row_potential[at] - column_potential[c];
        if (reduced < distance[c]) {
          distance[c] = reduced;
          previous[c] = column;
        }
        if (distance[c] < least) {
          least = distance[c];
          next = c;
        }
      }
      for (std::size_t c = 0; c <= columns; ++c) {
        if (done[c]) {
          row_potential[row_of[c]] += least;
          column_potential[c] -= least;
        } else {
          distance[c] -= least;
        }
      }
      column = next;
    } while (row_of[column] != 0);
    while (column != 0) {
      row_of[column] = row_of[previous[column]];
      column = previous[column];
    }
  }
  std::vector<std::size_t> result(rows, 0);
  for (std::size_t c = 1; c <= columns; ++c) {
    if (row_of[c] != 0) result[row_of[c] - 1] = c - 1;
  }
  return result;
}

}  // namespace tessera::detail
