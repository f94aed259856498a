// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
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

// Values that were set did not decide what an update keeps. Compares every element of random updates, in the
// entry, in a fusion, and at a start that the fusion computes.
TEST_F(ParameterReadsTest, AValueThatIsSetDecidesWhatAnUpdateKeeps) {
  std::mt19937 random(20261129);
  const auto upto = [&](Index most) { return std::uniform_int_distribution<Index>(0, most)(random); };
  for (int turn = 0; turn < 300; ++turn) {
    const Index rows = 1 + upto(5), columns = 1 + upto(5);
    const Index height = upto(rows), width = upto(columns);
    const bool fused = upto(1) == 1;
    const std::string update = fmt::format(
        "x = f32[{0},{1}] parameter(0) u = f32[{2},{3}] parameter(1) i = s32[] parameter(2) j = s32[] "
        "parameter(3)\n k = s32[] subtract(i, j)\n ROOT d = f32[{0},{1}] dynamic-update-slice(x, u, i, k)",
        rows, columns, height, width);
    const std::string text =
        fused ? fmt::format(
                    "f {{ {} }}\nENTRY e {{ a = f32[{}] iota(), iota_dimension=0 x = f32[{},{}] "
                    "parameter(0) u = f32[{},{}] parameter(1) i = s32[] parameter(2) j = s32[] "
                    "parameter(3)\n ROOT r = f32[{},{}] fusion(x, u, i, j), kind=kLoop, calls=f }}",
                    update, rows, rows, columns, height, width, rows, columns)
              : fmt::format("ENTRY e {{ {} }}", update);
    SCOPED_TRACE(text);
    program_ = ProgramIndexing();  // what it remembers is of the module before
    ParameterReads all = reads(text);
    if (all.runtime.empty()) continue;  // no start has a choice
    std::map<std::string, Index> starts;
    for (const RuntimeInput& input : all.runtime) {
      const bool computed = input.value.source->opcode == Opcode::subtract;
      starts[computed ? "column" : "row"] = upto(9) - 2;
    }
    for (const RuntimeInput& input : std::vector(all.runtime)) {
      const bool computed = input.value.source->opcode == Opcode::subtract;
      ASSERT_TRUE(set_runtime(all, input.name, starts[computed ? "column" : "row"]));
    }
    ASSERT_TRUE(narrow_by_values(program_, all));
    if (height == 0 || width == 0) continue;
    const Index row = std::clamp<Index>(starts["row"], 0, rows - height);
    const Index column = std::clamp<Index>(starts["column"], 0, columns - width);
    std::set<Point> kept;
    for (const ParameterRead& read : all.reads) {
      if (read.parameter != 0) continue;
      for (const Indexing& x : read.maps) {
        ASSERT_EQ(x.exactness, Exactness::exact) << x.reason;
        for (Index r = 0; r < rows; ++r) {
          for (Index c = 0; c < columns; ++c) {
            if (!x.map.domain().contains(Point{r, c})) continue;
            EXPECT_EQ(x.map.evaluate(Point{r, c}), (Point{r, c}));
            EXPECT_TRUE(kept.insert({r, c}).second);
          }
        }
      }
    }
    for (Index r = 0; r < rows; ++r) {
      for (Index c = 0; c < columns; ++c) {
        const bool inside = row <= r && r < row + height && column <= c && c < column + width;
        EXPECT_EQ(kept.contains({r, c}), !inside) << r << ' ' << c;
      }
    }
  }
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
