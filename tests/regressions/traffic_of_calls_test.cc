// SPDX-License-Identifier: Apache-2.0
// Traffic of called computations that was once wrong.
#include <gtest/gtest.h>

#include "tessera/hlo/traffic.h"

namespace tessera {
namespace {

// The parameter was looked up through its own results without end, and v3 was then not seen to be v0.
TEST(TrafficRegressions, AComputationThatIsCalledWithItsResult) {
  const ParsedModules parsed = parse_hlo(R"(
f {
  v0 = f32[8] parameter(0)
  v1 = (f32[8], f32[8]) tuple(v0, v0)
  v2 = (f32[8], f32[8]) opt-barrier(v1)
  v3 = f32[8] get-tuple-element(v2), index=0
  v7 = f32[8] add(v3, v0)
  ROOT v11 = (f32[8], f32[8]) tuple(v3, v7)
}
ENTRY e {
  p = f32[8] parameter(0)
  c1 = (f32[8], f32[8]) call(p), to_apply=f
  r1 = f32[8] get-tuple-element(c1), index=1
  c2 = (f32[8], f32[8]) call(r1), to_apply=f
  r2 = f32[8] get-tuple-element(c2), index=1
  ROOT r = f32[8] subtract(r2, r1)
}
)");
  ASSERT_TRUE(parsed.ok());
  const ProgramTraffic traffic = program_traffic(parsed.modules[0]);
  ASSERT_EQ(traffic.steps.size(), 2U);
  for (const StepTraffic& step : traffic.steps)
    EXPECT_EQ(step.used, (Count{.lower = step.instruction->name == "v7" ? 32 : 64,
                                .upper = step.instruction->name == "v7" ? 32 : 64}));
}

}  // namespace
}  // namespace tessera
