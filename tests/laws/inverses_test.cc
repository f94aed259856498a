// SPDX-License-Identifier: Apache-2.0
// Left inverses of random layouts against a judge that enumerates every layout. TESSERA_LAW_CASES is the
// number of cases of each law (default 5,000), TESSERA_SEED the seed.
#include "laws/inverse_laws.h"

namespace tessera::laws {
namespace {

/// Two or three modes of any stride, also 0 and negative ones.
StridedLayout interleaved(Random& r, Index most_stride) {
  IntTuple s;
  IntTupleBuilder build(s);
  const Index rank = r.in(1, 3);
  build.tuple(static_cast<int>(rank));
  for (Index i = 0; i < rank; ++i) build.leaf(r.in(2, 4));
  StridedLayout l = *detail::make_layout(s);
  const bool negative = r.one_in(3);
  for (int i = 0; i < l.leaves(); ++i) {
    l.stride[i] = r.in(r.one_in(20) ? 0 : 1, most_stride);
    if (negative && r.one_in(2)) l.stride[i] = -l.stride[i];
  }
  return l;
}

TEST(InverseLaws, LeftInversesExistExactlyWhereTheyAreFound) {
  for_random_cases([](Random& r) { return check_left_inverse_exists(interleaved(r, 12)); });
}

TEST(InverseLaws, LeftInversesOfAnyLayoutInvert) {
  for_random_cases([](Random& r) { return check_left_inverse_exists(r.layout(12)); });
}

TEST(InverseLaws, TheJudgeKnowsSmallCases) {
  EXPECT_TRUE(has_left_inverse({0, 2, 3, 5}));
  EXPECT_TRUE(has_left_inverse({0, -1, -2, -3}));
  EXPECT_FALSE(has_left_inverse({0, 2, 2, 4}));
  EXPECT_FALSE(has_left_inverse({0, -1, 1}));
  EXPECT_FALSE(has_left_inverse(values(L("(5,4):(2,5)"))));
}

}  // namespace
}  // namespace tessera::laws
