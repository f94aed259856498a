// SPDX-License-Identifier: Apache-2.0
// Counted loops whose maps were once wrong.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "laws/loop_laws.h"

namespace tessera::laws {
namespace {

// In `n[i] == i`, the iteration was replaced by the value of n[i], which then said where it is read itself.
TEST(LoopRegressions, AnIndexThatIsReadAtItself) {
  const std::string text = R"(
body {
  state = (s32[], f32[6], f32[6], f32[], s32[6]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  a = f32[6] get-tuple-element(state), index=1
  b = f32[6] get-tuple-element(state), index=2
  c = f32[] get-tuple-element(state), index=3
  n = s32[6] get-tuple-element(state), index=4
  one = s32[] constant(1)
  next = s32[] add(i, one)
  h4 = f32[1] reshape(c)
  v5 = f32[6] dynamic-update-slice(b, h4, i)
  h5 = s32[1] dynamic-slice(n, i), dynamic_slice_sizes={1}
  h6 = s32[] reshape(h5)
  h7 = f32[1] dynamic-slice(v5, h6), dynamic_slice_sizes={1}
  v7 = f32[6] dynamic-update-slice(a, h7, one)
  v8 = f32[6] add(v7, a)
  ROOT r = (s32[], f32[6], f32[6], f32[], s32[6]) tuple(next, v8, v8, c, n)
}
condition {
  state = (s32[], f32[6], f32[6], f32[], s32[6]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  limit = s32[] constant(5)
  ROOT r = pred[] compare(i, limit), direction=LE
}
ENTRY e {
  a = f32[6] parameter(0)
  b = f32[6] parameter(1)
  c = f32[] parameter(2)
  n = s32[6] parameter(3)
  first = s32[] constant(1)
  start = (s32[], f32[6], f32[6], f32[], s32[6]) tuple(first, a, b, c, n)
  loop = (s32[], f32[6], f32[6], f32[], s32[6]) while(start), condition=condition, body=body
  ROOT ra = f32[6] get-tuple-element(loop), index=1
}
)";
  LoopCoverage coverage;
  for (const Index kept : {1, 2, 3, 4, 5})  // the only iteration that reads what it wrote
    for (const Index other : {-1, 0, 6}) {
      std::vector<Index> n(6, other);
      n[static_cast<std::size_t>(kept)] = kept;
      check_loop_maps_are_the_dependence(text, {{}, {}, {}, n}, coverage);
    }
  EXPECT_EQ(coverage.programs, 15U);
}

}  // namespace
}  // namespace tessera::laws
