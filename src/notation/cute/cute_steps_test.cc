// SPDX-License-Identifier: Apache-2.0
#include "notation/cute/cute_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "laws/cute_layouts.h"
#include "tessera/algebra/detail/inverse.h"

namespace tessera {
namespace {

using testing::ElementsAre;

TEST(CuteSteps, ACompositionTellsEverySplit) {
  StepLines log;
  ASSERT_TRUE(detail::composition(laws::L("(6,2):(8,2)"), laws::L("(4,3):(3,1)"), log.trace()));
  EXPECT_THAT(log.lines(),
              ElementsAre("leaf 0 of the right operand: 4:3",
                          "mode 0 (extent 6): stride 3 divides it, emit 2:24, 2 left", "last mode: emit 2:2",
                          "leaf 1 of the right operand: 3:1", "mode 0 (extent 6): 3 steps of 1 fit, emit 3:8",
                          "mode 0 (extent 6): the digits add up to 5 at most, no carry"));
}

TEST(CuteSteps, AComplementTellsItsHoles) {
  StepLines log;
  ASSERT_TRUE(detail::complement(laws::L("4:2"), 24, log.trace()));
  EXPECT_THAT(log.lines(), ElementsAre("next by stride: 4:2", "below stride 2, covered up to 1: emit 2:1",
                                       "the rest of the codomain: emit 3:8"));
}

TEST(CuteSteps, AnInverseTellsItsChain) {
  StepLines log;
  ASSERT_TRUE(detail::right_inverse(laws::L("(2,4,4,6):(4,1,0,8)"), log.trace()));
  EXPECT_THAT(log.lines(),
              ElementsAre("4:0 is off the chain at 1, skip it", "4:1 goes on the chain, emit 4:2",
                          "2:4 goes on the chain, emit 2:1", "6:8 goes on the chain, emit 6:32"));
}

}  // namespace
}  // namespace tessera
