// SPDX-License-Identifier: Apache-2.0
// For accesses to rows and columns of every tile, the fix either has no conflicts or is proved to be the
// minimum.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string>

#include "tessera/access/access.h"

namespace tessera {
namespace {

struct Tally {
  int pairs = 0;
  int conflict_free = 0;
  int at_floor = 0;  // above the ideal, but no layout is better
  int linear = 0;    // above the floor, but no linear map is better
  int family = 0;    // size not a power of two; no member of the searched families is better
};

// One warp writes rows in vectors. Another reads a column, element by element or in vectors of the same
// width.
void check_pair(Index rows, Index columns, Index bytes, Index vector, Tally& tally) {
  const std::string tile_text =
      "(" + std::to_string(rows) + "," + std::to_string(columns) + "):(" + std::to_string(columns) + ",1)";
  const Layout tile = *parse_layout(tile_text);
  const AccessOptions options{.element_bits = 8 * bytes, .global = false};
  const auto row =
      parse_access("rows,write,vector=" + std::to_string(vector), tile, options, whole_layout(tile));
  if (!row) return;  // the row length is not a multiple of the vector
  const std::vector<Access> accesses = {*row, *parse_access("columns", tile, options, whole_layout(tile))};
  const auto fixes = find_fixes(tile, accesses, 8 * bytes, {});
  ASSERT_TRUE(fixes) << tile_text << " " << to_string(fixes.error());
  const auto reports = analyze_accesses(tile, accesses, options);
  ASSERT_TRUE(reports);
  const Fix& best = fixes->best_fix();
  const std::string what =
      tile_text + " of " + std::to_string(bytes) + " bytes, vectors of " + std::to_string(vector);
  ASSERT_NE(best.proof, FixProof::none) << what;
  ASSERT_GE(best.wavefronts, fixes->floor) << what;
  const bool powers = (rows & (rows - 1)) == 0 && (columns & (columns - 1)) == 0;
  if (powers) {
    ASSERT_EQ(best.wavefronts, fixes->floor) << what;
    ASSERT_EQ(best.proof, FixProof::floor) << what;
  }
  ++tally.pairs;
  if (best.wavefronts == reports->ideal) {
    ++tally.conflict_free;
  } else if (best.proof == FixProof::floor) {
    ++tally.at_floor;
  } else {
    ++(best.proof == FixProof::linear ? tally.linear : tally.family);
  }
}

// With TESSERA_SWEEP=all, covers all multiples of 16, not only powers of two.
TEST(FindFixes, RowsAndColumnsOfEveryTile) {
  const char* const sweep = std::getenv("TESSERA_SWEEP");
  const bool all = sweep != nullptr && std::string(sweep) == "all";
  Tally tally;
  for (Index rows = 16; rows <= 128; rows = all ? rows + 16 : rows * 2) {
    for (Index columns = 16; columns <= 128; columns = all ? columns + 16 : columns * 2) {
      for (Index bytes = 1; bytes <= 16; bytes *= 2) {
        for (Index vector = 1; vector * bytes <= 16; vector *= 2) {
          check_pair(rows, columns, bytes, vector, tally);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
  std::cout << tally.pairs << " pairs: " << tally.conflict_free << " without conflicts, " << tally.at_floor
            << " at a floor above that, " << tally.linear << " least of all linear maps, " << tally.family
            << " least of the families\n";
  EXPECT_GE(tally.pairs, 16 * 15);
}

}  // namespace
}  // namespace tessera
