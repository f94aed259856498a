// SPDX-License-Identifier: Apache-2.0
/// \file
/// dynamic-slice, dynamic-update-slice, gather and scatter, and when their starts fold to constants.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "laws/map_examples.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/walk.h"

namespace tessera::laws {
namespace {

TEST(DynamicSliceMaps, StartWhereTheOperandsSay) {
  constexpr const char* kHlo =
      "p0 = s32[100] parameter(0)\np1 = s32[] parameter(1)\nROOT r = s32[10] dynamic-slice(p0, p1), "
      "dynamic_slice_sizes={10}";
  check_example({.hlo = kHlo,
                 .maps = {"(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 9], rt0 in [0, 90]"},
                 .runtime = {"p1;(d0) -> (), domain: d0 in [0, 9]"}});
  check_example(
      {.hlo = kHlo,
       .direction = kToOutput,
       .maps = {"(d0){rt0} -> (d0 - rt0), domain: d0 in [0, 99], rt0 in [0, 90], d0 - rt0 in [0, 9]"},
       .runtime = {"p1;(d0) -> (), domain: d0 in [0, 99]"}});
  check_example(
      {.hlo = kHlo, .direction = kToOutput, .operand = 1, .maps = {"()[s0] -> (s0), domain: s0 in [0, 9]"}});
}

TEST(DynamicUpdateSliceMaps, KeepTheUpdateInItsBounds) {
  constexpr const char* kHlo =
      "p0 = s32[20,30] parameter(0)\np1 = s32[5,10] parameter(1)\np2 = s32[] parameter(2)\np3 = s32[] "
      "parameter(3)\n"
      "ROOT r = s32[20,30] dynamic-update-slice(p0, p1, p2, p3)";
  check_example({.hlo = kHlo,
                 .operand = 1,
                 .maps = {"(d0, d1){rt0, rt1} -> (d0 - rt0, d1 - rt1), domain: d0 in [0, 19], d1 in [0, 29], "
                          "rt0 in [0, 15], rt1 in [0, 20], d0 - rt0 in [0, 4], d1 - rt1 in [0, 9]"},
                 .runtime = {"p2", "p3"}});
  check_example({.hlo = kHlo,
                 .maps = {"(d0, d1) -> (d0, d1), domain: d0 in [0, 19], d1 in [0, 29]"},
                 .exactness = Exactness::superset});
}

// Regression: for a scatter that adds, the reason said that it replaces elements.
TEST(ScatterMaps, GiveTheReasonThatFitsTheFunction) {
  const auto reason = [](std::string_view function, std::size_t operand, bool unique, Direction direction) {
    const ParsedModules parsed = parse_hlo(fmt::format(
        "f {{\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] {}\n}}\nENTRY e {{\n"
        "p0 = f32[4] parameter(0)\np1 = s32[3,1] parameter(1)\np2 = f32[3] parameter(2)\n"
        "ROOT r = f32[4] scatter(p0, p1, p2), update_window_dims={{}}, inserted_window_dims={{0}}, "
        "scatter_dims_to_operand_dims={{0}}, index_vector_dim=1, unique_indices={}, to_apply=f\n}}",
        function, unique));
    const Instruction& root = *parsed.modules[0].entry->root;
    const auto maps = direction == kToInput ? output_to_input(root, {.operand = operand})
                                            : input_to_output(root, {.operand = operand});
    return maps->front().reason;
  };
  EXPECT_EQ(reason("add(a, b)", 0, false, kToInput),
            "which updates reach the element, and in which order, is data dependent");
  EXPECT_EQ(reason("add(a, b)", 0, true, kToInput), "");
  EXPECT_EQ(reason("negate(b)", 0, false, kToInput), "an update may replace the element");
  EXPECT_EQ(reason("negate(b)", 0, true, kToInput), "an update may replace the element");
  EXPECT_EQ(reason("add(a, b)", 2, false, kToOutput), "");
  EXPECT_EQ(reason("negate(b)", 2, false, kToOutput), "a later update of the same element may replace it");
  EXPECT_EQ(reason("negate(b)", 2, true, kToOutput), "");
  EXPECT_EQ(reason("negate(a)", 2, true, kToOutput), "the scatter's function does not use this update");
  EXPECT_EQ(reason("add(a, b)", 1, false, kToInput), "any index may select the element");
}

TEST(FoldedStarts, AreClampedAsTheInstructionClampsThem) {
  check_example(
      {.hlo = "p0 = s32[100] parameter(0)\nc = s64[] constant(99)\nROOT r = s32[10] dynamic-slice(p0, c), "
              "dynamic_slice_sizes={10}",
       .maps = {"(d0) -> (d0 + 90), domain: d0 in [0, 9]"}});
  check_example(
      {.hlo = "p0 = s32[100] parameter(0)\nc = s64[] constant(-3)\nROOT r = s32[10] dynamic-slice(p0, c), "
              "dynamic_slice_sizes={10}",
       .maps = {"(d0) -> (d0), domain: d0 in [0, 9]"}});
}

TEST(FoldedStarts, OfAnIotaDoNotReadRowsThatDoNotExist) {
  check_example(
      {.hlo = "p0 = f32[33,76] parameter(0)\ni = s64[42,1] iota(), iota_dimension=0\nROOT r = f32[42,1,1] "
              "gather(p0, i), offset_dims={1,2}, collapsed_slice_dims={}, start_index_map={0}, "
              "index_vector_dim=1, slice_sizes={1,1}",
       .maps = {
           "(d0, d1, d2) -> (min(d0, 32) + d1, d2), domain: d0 in [0, 41], d1 in [0, 0], d2 in [0, 0]"}});
}

TEST(FoldedStarts, GoThroughArithmeticThatCannotWrap) {
  // 3 * i + 1 for i in [0, 4] cannot overflow s32, so the starts fold.
  check_example(
      {.hlo =
           "p0 = f32[20,4] parameter(0)\ni = s32[5] iota(), iota_dimension=0\nk = s32[] constant(3)\n"
           "ks = s32[5] broadcast(k), dimensions={}\none = s32[] constant(1)\nones = s32[5] broadcast(one), "
           "dimensions={}\nm = s32[5] multiply(i, ks)\na = s32[5] add(m, ones)\nROOT r = f32[5,4] "
           "gather(p0, a), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
           "index_vector_dim=1, slice_sizes={1,4}",
       .maps = {"(d0, d1) -> (d0 * 3 + 1, d1), domain: d0 in [0, 4], d1 in [0, 3]"}});
  // 100 + 100 overflows s8: the value is not 200, so the start stays a variable.
  check_example(
      {.hlo = "p0 = f32[300] parameter(0)\nc = s8[] constant(100)\na = s8[] add(c, c)\nROOT r = f32[10] "
              "dynamic-slice(p0, a), dynamic_slice_sizes={10}",
       .maps = {"(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 9], rt0 in [0, 127]"},
       .runtime = {"a"}});
  // A conversion from s64 to s32 may lose bits, so the trace stops there; from s32 to s64 it does not.
  check_example({.hlo =
                     "p0 = f32[300] parameter(0)\np1 = s64[] parameter(1)\na = s32[] convert(p1)\nb = s64[] "
                     "convert(a)\nROOT r = f32[10] dynamic-slice(p0, b), dynamic_slice_sizes={10}",
                 .maps = {"(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 9], rt0 in [0, 290]"},
                 .runtime = {"a;(d0) -> (), domain: d0 in [0, 9]"}});
}

TEST(FoldedStarts, AreFollowedToWhereTheyComeFrom) {
  check_example({.hlo = "p0 = f32[300] parameter(0)\np1 = s32[4,1] parameter(1)\ns = s32[1,1] slice(p1), "
                        "slice={[2:3], [0:1]}\nb = s32[] reshape(s)\nROOT r = f32[10] dynamic-slice(p0, b), "
                        "dynamic_slice_sizes={10}",
                 .maps = {"(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 9], rt0 in [0, 290]"},
                 .runtime = {"p1;(d0) -> (2, 0), domain: d0 in [0, 9]"}});
}

// Regression: the variable had all places of the array.
TEST(FoldedStarts, HaveTheValuesThatTheirSourceCanHave) {
  const auto places = [](std::string_view type, std::string_view start) {
    const ParsedModules parsed = parse_hlo(fmt::format(
        "ENTRY e {{\np0 = f32[300] parameter(0)\np1 = {}[] parameter(1)\nc = s32[] constant(7)\n{}\n"
        "ROOT r = f32[1] dynamic-slice(p0, s), dynamic_slice_sizes={{1}}\n}}",
        type, start));
    const auto maps = output_to_input(*parsed.modules[0].entry->root, {});
    return maps->front().map.variables().back().bounds;
  };
  EXPECT_EQ(places("u8", "s = u8[] copy(p1)"), (Interval{0, 255}));
  EXPECT_EQ(places("s8", "s = s8[] copy(p1)"), (Interval{0, 127}));
  EXPECT_EQ(places("s32", "s = s32[] copy(p1)"), (Interval{0, 299}));
  EXPECT_EQ(places("u16", "s = u16[] copy(p1)"), (Interval{0, 299}));
  EXPECT_EQ(places("pred", "s = s32[] convert(p1)"), (Interval{0, 1}));
  EXPECT_EQ(places("u4", "s = s64[] convert(p1)"), (Interval{0, 15}));
  EXPECT_EQ(places("s32", "s = s32[] and(p1, c)"), (Interval{0, 7}));
  EXPECT_EQ(places("s32", "s = s32[] remainder(p1, c)"), (Interval{0, 6}));
  EXPECT_EQ(places("s32", "s = s32[] minimum(p1, c)"), (Interval{0, 7}));
  EXPECT_EQ(places("s8", "s = s8[] add(p1, p1)"), (Interval{0, 127}));
}

// Regression: a table of starts was unknown.
TEST(FoldedStarts, OfATableAreExpressionsOrPieces) {
  const auto gather = [](std::string_view indices) {
    return fmt::format(
        "p0 = f32[10] parameter(0)\n{}\nROOT r = f32[4] gather(p0, i), offset_dims={{}}, "
        "collapsed_slice_dims={{0}}, start_index_map={{0}}, index_vector_dim=1, slice_sizes={{1}}",
        indices);
  };
  check_example({.hlo = gather("i = s32[4] constant({0, 2, 4, 6})"),
                 .maps = {"(d0) -> (d0 * 2), domain: d0 in [0, 3]"}});
  check_example({.hlo = gather("i = s32[4] constant({5, 5, 8, 8})"),
                 .maps = {"(d0) -> ((d0 / 2) * 3 + 5), domain: d0 in [0, 3]"}});
  check_example({.hlo = gather("i = s32[4] constant({100, -5, 3, 9})"),
                 .maps = {"(d0) -> (d0 * -9 + 9), domain: d0 in [0, 1]",
                          "(d0) -> (d0 * 6 - 9), domain: d0 in [2, 3]"}});
  // Negative indices count from the end.
  check_example(
      {.hlo = gather("k = s32[4] constant({-1, 3, -2, 5})\nz = s32[] constant(0)\nn = s32[] constant(10)\n"
                     "zs = s32[4] broadcast(z), dimensions={}\nns = s32[4] broadcast(n), dimensions={}\n"
                     "below = pred[4] compare(k, zs), direction=LT\nm = s32[4] add(k, ns)\n"
                     "i = s32[4] select(below, m, k)"),
       .maps = {"(d0) -> (d0 * -6 + 9), domain: d0 in [0, 1]",
                "(d0) -> (d0 * -3 + 14), domain: d0 in [2, 3]"}});
}

// Regression: the map of the operand included what the update overwrites.
TEST(DynamicUpdateSliceMaps, KeepWhatIsAroundAKnownBox) {
  const auto update = [](std::string_view box, std::string_view start) {
    return fmt::format(
        "p0 = f32[6] parameter(0)\np1 = {} parameter(1)\nc = s32[] constant({})\ns = s32[] opt-barrier(c)\n"
        "ROOT r = f32[6] dynamic-update-slice(p0, p1, s)",
        box, start);
  };
  check_example({.hlo = update("f32[2]", "3"),
                 .maps = {"(d0) -> (d0), domain: d0 in [0, 2]", "(d0) -> (d0), domain: d0 in [5, 5]"}});
  check_example({.hlo = update("f32[2]", "9"), .maps = {"(d0) -> (d0), domain: d0 in [0, 3]"}});
  check_example({.hlo = update("f32[6]", "9"), .maps = {"KNOWN EMPTY"}});
  check_example({.hlo = update("f32[0]", "2"), .maps = {"(d0) -> (d0), domain: d0 in [0, 5]"}});
}

TEST(GatherMaps, CollapseAndRead) {
  constexpr const char* kHlo =
      "p0 = f32[30,7,5] parameter(0)\np1 = s32[4,2] parameter(1)\nROOT r = f32[4,5] gather(p0, p1), "
      "offset_dims={1}, "
      "collapsed_slice_dims={0,1}, start_index_map={0,1}, index_vector_dim=1, slice_sizes={1,1,5}";
  check_example(
      {.hlo = kHlo,
       .maps = {"(d0, d1){rt0, rt1} -> (rt0, rt1, d1), domain: d0 in [0, 3], d1 in [0, 4], rt0 in [0, 29], "
                "rt1 in [0, 6]"},
       .runtime = {"p1;(d0, d1) -> (d0, 0), domain: d0 in [0, 3], d1 in [0, 4]",
                   "p1;(d0, d1) -> (d0, 1), domain: d0 in [0, 3], d1 in [0, 4]"}});
}

TEST(GatherMaps, LeadBackFromTheOperandOverAllIndices) {
  constexpr const char* kHlo =
      "p0 = f32[50,8] parameter(0)\np1 = s32[12,1] parameter(1)\nROOT r = f32[12,1,8] gather(p0, p1), "
      "offset_dims={1,2}, collapsed_slice_dims={}, start_index_map={0}, index_vector_dim=1, "
      "slice_sizes={1,8}";
  check_example(
      {.hlo = kHlo,
       .direction = kToOutput,
       .maps =
           {"(d0, d1)[s0]{rt0} -> (s0, d0 - rt0, d1), domain: d0 in [0, 49], d1 in [0, 7], s0 in [0, 11], "
            "rt0 in [0, 49], d0 - rt0 in [0, 0]"},
       .runtime = {"p1;(d0, d1)[s0] -> (s0, 0), domain: d0 in [0, 49], d1 in [0, 7], s0 in [0, 11]"}});
}

// Regression: for a window that is partly outside, the map included the elements inside.
TEST(ScatterMaps, DropWindowsThatAreNotInside) {
  const std::string hlo =
      "f {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b)\n}\n"
      "ENTRY e {\n p0 = f32[4] parameter(0)\n p1 = s32[3,1] parameter(1)\n p2 = f32[3,2] parameter(2)\n ROOT "
      "r = f32[4] "
      "scatter(p0, p1, p2), update_window_dims={1}, inserted_window_dims={}, "
      "scatter_dims_to_operand_dims={0}, "
      "index_vector_dim=1, to_apply=f\n}";
  check_example({.hlo = hlo,
                 .direction = kToOutput,
                 .operand = 2,
                 .maps = {"(d0, d1){rt0} -> (d1 + rt0), domain: d0 in [0, 2], d1 in [0, 1], rt0 in [0, 2]"},
                 .runtime = {"p1;(d0, d1) -> (d0, 0), domain: d0 in [0, 2], d1 in [0, 1]"}});
  check_example(
      {.hlo = hlo,
       .direction = kToOutput,
       .operand = 1,
       .maps = {"(d0, d1)[s0]{rt0} -> (s0 + rt0), domain: d0 in [0, 2], d1 in [0, 0], s0 in [0, 1], "
                "rt0 in [0, 2]"},
       .runtime = {"p1;(d0, d1)[s0] -> (d0, 0), domain: d0 in [0, 2], d1 in [0, 0], s0 in [0, 1]"}});
  check_example({.hlo = hlo, .operand = 2, .exactness = Exactness::unknown});
  check_example(
      {.hlo = hlo, .maps = {"(d0) -> (d0), domain: d0 in [0, 3]"}, .exactness = Exactness::superset});
}

}  // namespace
}  // namespace tessera::laws
