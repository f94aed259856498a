// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "hlo/analysis/parameter_elements.h"
#include "tessera/hlo/module.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Point = std::vector<Index>;

class ParameterReadsTest : public ::testing::Test {
 protected:
  ParameterReads reads(std::string_view text, std::string_view name = "") {
    parsed_ = parse_hlo(text);
    for (const Diagnostic& d : parsed_.diagnostics) ADD_FAILURE() << to_string(d);
    const HloModule& module = parsed_.modules.at(0);
    const Instruction* op = module.entry->root;
    for (const auto& computation : module.computations) {
      if (const Instruction* const found = name.empty() ? nullptr : computation->find(name)) op = found;
    }
    const auto callers = callers_between(module, *module.entry, *op);
    EXPECT_TRUE(callers);
    auto out = parameter_reads(program_, *op, *callers);
    EXPECT_TRUE(out);
    return *std::move(out);
  }

  static std::vector<std::string> maps(const ParameterReads& reads, std::uint32_t parameter) {
    std::vector<std::string> out;
    for (const ParameterRead& one : reads.reads) {
      if (one.parameter != parameter) continue;
      for (const Indexing& x : one.maps) out.push_back(to_string(x.map));
    }
    return out;
  }

  ParsedModules parsed_;
  ProgramIndexing program_;
};

constexpr std::string_view kSlice = R"(
ENTRY e {
  x = f32[16] parameter(0)
  i = s32[] parameter(1)
  a = f32[8] dynamic-slice(x, i), dynamic_slice_sizes={8}
  ROOT b = f32[4] dynamic-slice(a, i), dynamic_slice_sizes={4}
})";

TEST_F(ParameterReadsTest, OneValueInAMapIsOneVariable) {
  ParameterReads all = reads(kSlice);
  EXPECT_THAT(maps(all, 0),
              ElementsAre("(d0){rt0} -> (min(rt0, 4) + d0 + rt0), domain: d0 in [0, 3], rt0 in [0, 8]"));
  ASSERT_EQ(all.runtime.size(), 1U);
  ASSERT_TRUE(set_runtime(all, "rt0", 6));
  EXPECT_THAT(maps(all, 0), ElementsAre("(d0) -> (d0 + 10), domain: d0 in [0, 3]"));
}

TEST_F(ParameterReadsTest, OneValueWithTwoClampsHasTwoNamesAndIsSetOnce) {
  ParameterReads all = reads(R"(
ENTRY e {
  x = f32[16] parameter(0)
  i = s32[] parameter(1)
  a = f32[8] dynamic-slice(x, i), dynamic_slice_sizes={8}
  b = f32[4] dynamic-slice(x, i), dynamic_slice_sizes={4}
  ROOT t = (f32[8], f32[4]) tuple(a, b)
})");
  EXPECT_THAT(maps(all, 0), ElementsAre("(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 7], rt0 in [0, 8]",
                                        "(d0){rt1} -> (d0 + rt1), domain: d0 in [0, 3], rt1 in [0, 12]"));
  ASSERT_EQ(all.runtime.size(), 2U);
  ASSERT_TRUE(set_runtime(all, "rt0", 10));
  EXPECT_EQ(all.runtime[0].clamped(), 8);
  EXPECT_EQ(all.runtime[1].clamped(), 10);
  EXPECT_THAT(maps(all, 0), ElementsAre("(d0) -> (d0 + 8), domain: d0 in [0, 7]",
                                        "(d0) -> (d0 + 10), domain: d0 in [0, 3]"));
  EXPECT_EQ(set_runtime(all, "rt1", 5).error().code, Code::bad_option);
  EXPECT_EQ(set_runtime(all, "rt2", 5).error().code, Code::unknown_name);
}

TEST_F(ParameterReadsTest, AValueIsOneThatItsTypeHas) {
  ParameterReads all = reads(
      "ENTRY e { x = f32[300] parameter(0) i = u8[] parameter(1) ROOT a = f32[4] dynamic-slice(x, i), "
      "dynamic_slice_sizes={4} }");
  EXPECT_EQ(set_runtime(all, "rt0", 256).error().code, Code::number_range);
  EXPECT_EQ(set_runtime(all, "rt0", -1).error().code, Code::number_range);
  EXPECT_TRUE(set_runtime(all, "rt0", 255));
}

TEST_F(ParameterReadsTest, ElementsOfAnUnsetValueAreThoseThatItMayChoose) {
  ParameterReads all = reads(kSlice, "a");
  const auto open = elements_at(all, 0, Point{3});
  ASSERT_EQ(open->size(), 2U);
  EXPECT_THAT(open->at(0).boxes, ElementsAre(ElementBox{{3}, {12}}));
  EXPECT_THAT(open->at(0).depends, ElementsAre("rt0"));
  EXPECT_THAT(open->at(1).boxes, ElementsAre(ElementBox{{}, {}}));
  ASSERT_TRUE(set_runtime(all, "rt0", 20));
  const auto set = elements_at(all, 0, Point{3});
  EXPECT_THAT(set->at(0).boxes, ElementsAre(ElementBox{{11}, {12}}));
  EXPECT_THAT(set->at(0).depends, IsEmpty());
  EXPECT_EQ(elements_at(all, 0, Point{8}).error().code, Code::index_out_of_range);
  EXPECT_EQ(elements_at(all, 0, Point{0, 0}).error().code, Code::rank_mismatch);
  EXPECT_EQ(elements_at(all, 1, Point{0}).error().code, Code::index_out_of_range);
}

TEST_F(ParameterReadsTest, OnlyFusionsAndCallsLeadToTheParameters) {
  parsed_ = parse_hlo(R"(
body { s = (s32[], f32[4]) parameter(0) i = s32[] get-tuple-element(s), index=0 one = s32[] constant(1)
  n = s32[] add(i, one) x = f32[4] get-tuple-element(s), index=1 y = f32[4] negate(x)
  ROOT t = (s32[], f32[4]) tuple(n, y) }
test { s = (s32[], f32[4]) parameter(0) i = s32[] get-tuple-element(s), index=0 k = s32[] constant(9)
  ROOT c = pred[] compare(i, k), direction=LT }
ENTRY e { p = (s32[], f32[4]) parameter(0) ROOT w = (s32[], f32[4]) while(p), condition=test, body=body })");
  const HloModule& module = parsed_.modules.at(0);
  const auto none = callers_between(module, *module.entry, *module.find("body")->find("y"));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "'y' is in computation 'body', and 'body' is called by the while 'w'");
}

}  // namespace
}  // namespace tessera
