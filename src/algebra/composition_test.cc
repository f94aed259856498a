// SPDX-License-Identifier: Apache-2.0
#include "tessera/algebra/detail/composition.h"

#include <gtest/gtest.h>

#include <string>

#include "algebra/composition_check.h"
#include "laws/algebra_laws.h"

namespace tessera {

using namespace tessera::detail;  // NOLINT(google-build-using-namespace): the layout algebra
namespace {

using laws::L;
using laws::shown;
using laws::tiler_of;

std::string compose(const char* a, const char* b) { return shown(composition(L(a), tiler_of(b))); }

TEST(Composition, LeavesSplitWhereTheModesOfTheLeftOperandEnd) {
  EXPECT_EQ(compose("(6,2):(8,2)", "(4,3):(3,1)"), "((2,2),3):((24,2),8)");
  EXPECT_EQ(compose("20:2", "(5,4):(4,1)"), "(5,4):(8,2)");
  EXPECT_EQ(compose("(10,2):(16,4)", "(5,4):(1,5)"), "(5,(2,2)):(16,(80,4))");
  EXPECT_EQ(compose("(3,6,2,8):(5,7,11,13)", "16:9"), "(2,2,4):(21,11,13)");
  EXPECT_EQ(compose("(2,3):(2,8)", "6:1"), "(2,3):(2,8)");
}

TEST(Composition, TheLastModeIsUnboundedUnlessAUnitModeCapsIt) {
  EXPECT_EQ(compose("(4,3):(3,1)", "24:1"), "(4,6):(3,1)");
  EXPECT_EQ(compose("(4,3,1):(3,1,0)", "(24):(1)"), "((4,3,2)):((3,1,0))");
}

TEST(Composition, ByModeTilersDropTheModesBehindThem) {
  EXPECT_EQ(compose("(12,(4,8)):(59,(13,1))", "<3:4,8:2>"), "(3,(2,4)):(236,(26,1))");
  EXPECT_EQ(compose("(12,(4,8)):(59,(13,1))", "(3,8)"), "(3,(4,2)):(59,(13,1))");
  EXPECT_EQ(compose("(8,8):(1,8)", "<4>"), "(4):(1)");
  EXPECT_EQ(compose("(8,8):(1,8)", "<_,4>"), "(8,4):(1,8)");
  EXPECT_EQ(compose("(8,8):(1,8)", "<2,2,2>"), "rank_mismatch");
  EXPECT_EQ(compose("(8,8):(1,8)", "1"), "1:1");
}

// A layout as a tiler once lost its last leaf if it had as many brackets as a layout may have.
TEST(Composition, ALayoutWithTheMostBracketsStaysWhole) {
  const int most = kMaxNodes - kMaxLeaves;
  std::string shape;
  std::string stride;
  for (int i = 1; i < kMaxLeaves; ++i) {
    shape += "1,";
    stride += "0,";
  }
  const std::string open(most, '(');
  const std::string close(most, ')');
  const std::string deep = open + shape + "2" + close + ":" + open + stride + "3" + close;
  EXPECT_EQ(shown(composition(L("8:1"), Tiler(L(deep.c_str())))), deep);
}

TEST(Composition, WhatNoDivisibilityRuleFinds) {
  EXPECT_EQ(compose("(5,8):(1,100)", "4:3"), "(2,2):(3,101)");
  EXPECT_EQ(compose("(3,5):(1,10)", "(2,2):(2,3)"), "(2,2):(2,10)");
  EXPECT_EQ(compose("(9,5):(4,6)", "4:2"), "4:8");
  EXPECT_EQ(compose("(5,126,7):(1,13,0)", "21:30"), "21:78");
}

TEST(Composition, NegativeStridesGoThrough) {
  EXPECT_EQ(compose("4:-1", "4:-1"), "4:1");
  EXPECT_EQ(compose("(1,(2,4)):(0,(-1,512))", "4:-1"), "(2,2):(1,-512)");
}

TEST(Composition, CoordinateStridesSelectModes) {
  EXPECT_EQ(compose("(4,(2,3)):(6,(3,1))", "(2,4):(1@1@1,1@0)"), "(2,4):(1,6)");
  EXPECT_EQ(compose("(4,5):(5,1)", "3:1@2"), "basis_out_of_range");
  EXPECT_EQ(compose("(4,5):(5,1)", "(2,2,2):(1@0,2@0,1@1)"), "(2,2,2):(5,10,1)");
  // Digits of the same path carry even if other modes lie between them: 1 + 3 is 4, beyond the mode of extent
  // 4.
  EXPECT_EQ(compose("((4,2),5):((1,10),1)", "(2,3,2):(1@0,1@1,3@0)"), "not_representable(carry)");
}

TEST(Composition, ACoordinateSumThatIsNoStrideIsRefused) {
  EXPECT_EQ(compose("(2,3):(1@0,1@1)", "2:3"), "not_representable(basis_sum)");
  EXPECT_EQ(compose("(2,3):(1@0,1@1)", "1:3"), "1:0");
}

TEST(Composition, ARefusalNamesLeafReasonAndWitness) {
  const AlgebraError stride = composition(L("(4,6,8):(2,3,5)"), L("6:3")).error;
  EXPECT_EQ(stride.reason, AlgebraReason::stride);
  EXPECT_EQ(stride.leaf, 0);
  EXPECT_EQ(stride.witness, 3);
  EXPECT_EQ(stride.first, 8);
  EXPECT_EQ(stride.second, 13);
  const AlgebraError shape = composition(L("(5,3):(7,1)"), L("(2,7):(0,1)")).error;
  EXPECT_EQ(shape.reason, AlgebraReason::shape);
  EXPECT_EQ(shape.leaf, 1);
  EXPECT_EQ(shape.witness, 5);
  EXPECT_EQ(shape.first, 1);
  EXPECT_EQ(shape.second, 35);
  const AlgebraError carry = composition(L("(2,2):(1,10)"), L("(2,2):(1,1)")).error;
  EXPECT_EQ(carry.reason, AlgebraReason::carry);
  EXPECT_EQ(carry.witness, 3);
  EXPECT_EQ(carry.first, 10);
  EXPECT_EQ(carry.second, 2);
}

TEST(Composition, BeyondTheLimitItSaysSo) {
  // Divisibility does not decide, and the leaf has more than 2^20 values.
  const Outcome<StridedLayout> r = composition(L("(5,8):(1,100)"), L("2000000:3"));
  EXPECT_EQ(r.error.code, Code::undecided);
  EXPECT_EQ(r.error.first, 2000000);
  EXPECT_EQ(r.error.second, 1 << 20);
}

TEST(Composition, SizesFarBeyondEnumerationNeedNone) {
  EXPECT_EQ(compose("(1048576,1048576):(1048576,1)", "(1024,1073741824):(1,1024)"),
            "(1024,(1024,1048576)):(1048576,(1073741824,1))");
}

TEST(Composition, OverflowIsAnErrorAndNeverWraps) {
  EXPECT_EQ(compose("2:4611686018427387904", "3:2"), "overflow");
  EXPECT_EQ(compose("2:4611686018427387904", "1:4"), "overflow");
}

TEST(Composition, StepsAreTold) {
  std::vector<TraceStep> steps;
  auto sink = [&](const TraceStep& s) { steps.push_back(s); };
  ASSERT_TRUE(composition(L("(6,2):(8,2)"), L("(4,3):(3,1)"), TraceTo(&sink)));
  ASSERT_GE(steps.size(), 4U);
  EXPECT_EQ(steps[0].kind, StepKind::leaf);
  EXPECT_EQ(steps[1].kind, StepKind::split);
  EXPECT_EQ(steps[1].number[3], 2);
  EXPECT_EQ(steps[2].kind, StepKind::last_mode);
  EXPECT_EQ(steps[4].kind, StepKind::fits);
}

TEST(CompositionCheck, TellsWhatOthersAnswerAndWhatWouldCompose) {
  const CompositionReport report = composition_check(L("(4,6,8):(2,3,5)"), L("6:3"));
  ASSERT_FALSE(report.exact);
  const PeerVerdict& cpp = report.peers[0];
  EXPECT_TRUE(cpp.accepts);
  EXPECT_EQ(to_string(cpp.result), "(2,3):(6,3)");
  EXPECT_EQ(cpp.wrong_at, 2);
  EXPECT_FALSE(report.peers[1].accepts);
  EXPECT_EQ(report.extent_hint, 2);
  EXPECT_EQ(report.stride_hint, 2);
}

TEST(CompositionCheck, SuggestsComposingByMode) {
  EXPECT_TRUE(composition_check(L("(6,4):(1,7)"), L("(4,3):(1,2)")).by_mode_hint ||
              composition(L("(6,4):(1,7)"), L("(4,3):(1,2)")).ok());
  const CompositionReport report = composition_check(L("(12,30):(1,13)"), L("(4,8):(1,4)"));
  EXPECT_FALSE(report.exact);
  EXPECT_FALSE(report.by_mode_hint && !composition(L("(12,30):(1,13)"), tiler_of("<4:1,8:4>")).ok());
}

}  // namespace
}  // namespace tessera
