// SPDX-License-Identifier: Apache-2.0
#include "hlo/analysis/copies.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "tessera/hlo/module.h"
#include "tessera/notation/layout.h"

namespace tessera {
namespace {

CopiesReport copies_of(const std::string& text) {
  static std::vector<ParsedModules> kept;  // the report points into them
  kept.push_back(parse_hlo(text));
  EXPECT_TRUE(kept.back().ok()) << text;
  return copies_report(kept.back().modules[0]);
}

TEST(HiddenCopies, AreForRealOrForNothing) {
  const CopiesReport report = copies_of(R"(ENTRY e {
  x = f32[64,32]{1,0} parameter(0)
  a = f32[32,64]{0,1} transpose(x), dimensions={1,0}
  n = f32[32,64]{0,1} negate(a)
  b = f32[32,64]{1,0} copy(n)
  m = f32[32,64]{1,0} negate(b)
  ROOT r = f32[2048]{0} reshape(m)
})");
  ASSERT_EQ(report.movements.size(), 2);
  EXPECT_EQ(report.movements[0].instruction->name, "b");
  EXPECT_EQ(report.movements[0].answer.verdict, Verdict::no);
  EXPECT_EQ(report.movements[0].traffic(), 2 * 64 * 32 * 4);
  EXPECT_EQ(report.movements[0].kernels, (std::vector<std::string>{"transpose"}));
  EXPECT_EQ(report.movements[1].instruction->name, "a");
  EXPECT_EQ(report.movements[1].answer.verdict, Verdict::yes);
  EXPECT_EQ(report.free, 1);
  EXPECT_TRUE(report.chains.empty());
}

TEST(HiddenCopies, ThatUndoEachOtherCancel) {
  const CopiesReport report = copies_of(R"(ENTRY e {
  x = f32[64,32]{1,0} parameter(0)
  a = f32[32,64]{1,0} transpose(x), dimensions={1,0}
  b = f32[1,32,64]{2,1,0} bitcast(a)
  c = f32[64,32,1]{2,1,0} transpose(b), dimensions={2,1,0}
  ROOT n = f32[64,32,1]{2,1,0} negate(c)
})");
  ASSERT_EQ(report.chains.size(), 1);
  EXPECT_TRUE(report.chains[0].cancels());
  EXPECT_EQ(report.chains[0].instructions.size(), 3);
  EXPECT_EQ(report.saving, 2 * 2 * 64 * 32 * 4);
}

// The program cannot return the buffer of a parameter, unless it is donated.
TEST(HiddenCopies, FromAParameterToTheResultLeaveOneCopy) {
  const std::string body = R"(ENTRY e {
  x = f32[64,32]{1,0} parameter(0)
  a = f32[32,64]{1,0} transpose(x), dimensions={1,0}
  ROOT c = f32[64,32]{1,0} transpose(a), dimensions={1,0}
})";
  const CopiesReport report = copies_of(body);
  ASSERT_EQ(report.chains.size(), 1);
  EXPECT_FALSE(report.chains[0].cancels());
  EXPECT_EQ(report.saving, 2 * 64 * 32 * 4);
  const CopiesReport donated =
      copies_of("HloModule m, input_output_alias={ {}: (0, {}, may-alias) }\n" + body);
  ASSERT_EQ(donated.chains.size(), 1);
  EXPECT_TRUE(donated.chains[0].cancels());
}

TEST(HiddenCopies, OfTheResultCostWhatTheTrafficSays) {
  const std::string text = R"(ENTRY e {
  x = f32[64,32]{1,0} parameter(0)
  n = f32[64,32]{1,0} negate(x)
  b = f32[64,32]{1,0} copy(n)
  m = f32[64,32]{1,0} negate(b)
  c = f32[64,32]{1,0} copy(x)
  ROOT t = (f32[64,32]{1,0}, f32[64,32]{1,0}) tuple(m, c)
})";
  const CopiesReport report = copies_of(text);
  ASSERT_EQ(report.movements.size(), 2);
  for (const Movement& movement : report.movements) {
    EXPECT_EQ(movement.answer.verdict, Verdict::yes);
    EXPECT_EQ(movement.traffic(), 2 * 64 * 32 * 4);
  }
  EXPECT_EQ(report.movements[0].sharing, BufferSharing::possible);
  EXPECT_EQ(report.movements[1].sharing, BufferSharing::impossible);
  EXPECT_EQ(report.bitcast_savings, 2 * 64 * 32 * 4);
}

TEST(HiddenCopies, AreSlicesAndConcatenationsAndFusionsOfThem) {
  const CopiesReport report = copies_of(R"(f {
  p = f32[64,32]{1,0} parameter(0)
  s = f32[64,16]{1,0} slice(p), slice={[0:64], [0:16]}
  t = f32[16,64]{1,0} transpose(s), dimensions={1,0}
  ROOT c = f32[16,64]{1,0} copy(t)
}
ENTRY e {
  x = f32[64,32]{1,0} parameter(0)
  i = s32[] parameter(1)
  z = s32[] constant(0)
  a = f32[16,64]{1,0} fusion(x), kind=kLoop, calls=f
  b = f32[8,32]{1,0} slice(x), slice={[8:16], [0:32]}
  c = f32[72,32]{1,0} concatenate(x, b), dimensions={0}
  ROOT d = f32[1,32]{1,0} dynamic-slice(c, i, z), dynamic_slice_sizes={1,32}
})");
  ASSERT_EQ(report.movements.size(), 4);
  EXPECT_EQ(report.movements[0].instruction->name, "c");
  EXPECT_EQ(report.movements[0].answer.reason, "the elements come from 2 operands");
  EXPECT_EQ(report.movements[1].instruction->name, "a");
  EXPECT_EQ(report.movements[1].by, (std::vector<Opcode>{Opcode::slice, Opcode::transpose, Opcode::copy}));
  EXPECT_EQ(report.movements[1].traffic(), 2 * 64 * 16 * 4);
  EXPECT_EQ(report.movements[2].instruction->name, "b");
  EXPECT_EQ(report.movements[2].answer.start_bit, Index{8 * 32 * 32});
}

TEST(HiddenCopies, WithAnotherUserInTheMiddleOnlySaveTheLast) {
  const CopiesReport report = copies_of(R"(ENTRY e {
  x = f32[64,32]{1,0} parameter(0)
  a = f32[32,64]{1,0} transpose(x), dimensions={1,0}
  b = f32[64,32]{1,0} transpose(a), dimensions={1,0}
  n = f32[64,32]{1,0} negate(b)
  ROOT t = (f32[64,32]{1,0}, f32[32,64]{1,0}) tuple(n, a)
})");
  ASSERT_EQ(report.chains.size(), 1);
  EXPECT_EQ(report.chains[0].saving, 2 * 64 * 32 * 4);
}

TEST(HiddenCopies, ThatFollowEachOtherJoin) {
  const CopiesReport report = copies_of(R"(f {
  p = f32[4,8,16]{2,1,0} parameter(0)
  ROOT t = f32[8,4,16]{2,1,0} transpose(p), dimensions={1,0,2}
}
ENTRY e {
  x = f32[4,8,16]{2,1,0} parameter(0)
  a = f32[8,4,16]{2,1,0} fusion(x), kind=kLoop, calls=f
  ROOT b = f32[8,16,4]{2,1,0} transpose(a), dimensions={0,2,1}
})");
  EXPECT_EQ(report.movements.size(), 2);
  ASSERT_EQ(report.chains.size(), 1);
  EXPECT_FALSE(report.chains[0].cancels());
  EXPECT_EQ(report.chains[0].saving, 2 * 4 * 8 * 16 * 4);
}

TEST(HiddenCopies, WithoutLayoutsAreUnknown) {
  const CopiesReport report =
      copies_of("ENTRY e {\n p = f32[4,8] parameter(0)\n ROOT c = f32[4,8] copy(p)\n}\n");
  EXPECT_EQ(report.unknown, 1);
  EXPECT_EQ(report.traffic, 2 * 4 * 8 * 4);
}

// Follows every element through random chains of transposes and copies to find out whether a chain cancels.
TEST(HiddenCopies, CancelExactlyIfEveryElementComesBack) {
  constexpr unsigned kSeed = 20261125;
  int cancelled = 0;
  for (unsigned i = 0; i < 300 && !HasFailure(); ++i) {
    std::mt19937 random(kSeed + i);
    std::vector<Index> dims;
    for (int d = 0; d < 3; ++d) dims.push_back(1 + static_cast<Index>(random() % 3));
    const auto type_text_of = [](const std::vector<Index>& extents, const std::vector<Index>& order) {
      return fmt::format("s32[{}]{{{}}}", fmt::join(extents, ","), fmt::join(order, ","));
    };
    const auto layout_of = [](const std::string& text) {
      return Layout::make(parse_hlo_type(text)->array()).value();
    };
    std::vector<Index> order = descending_order(3);
    const std::string first_type = type_text_of(dims, order);
    std::string text = fmt::format("ENTRY e {{\n  m0 = {} parameter(0)\n", first_type);
    // place[i]: the offset in the parameter of the element at offset i.
    const Layout start = layout_of(first_type);
    std::vector<Index> place(static_cast<std::size_t>(start.size()));
    std::iota(place.begin(), place.end(), Index{0});
    std::string type = first_type;
    int moving = 0;
    const int length = 2 + static_cast<int>(random() % 3);
    for (int k = 1; k <= length; ++k) {
      const Layout from = layout_of(type);
      std::vector<Index> permutation = {0, 1, 2};
      if (random() % 4 != 0) std::ranges::shuffle(permutation, random);
      std::vector<Index> next_dims;
      for (const Index d : permutation) next_dims.push_back(dims[static_cast<std::size_t>(d)]);
      if (random() % 3 == 0) std::ranges::shuffle(order, random);
      type = type_text_of(next_dims, order);
      text += fmt::format("  m{} = {} transpose(m{}), dimensions={{{}}}\n", k, type, k - 1,
                          fmt::join(permutation, ","));
      const Layout to = layout_of(type);
      std::vector<Index> moved(place.size());
      bool moves = false;
      for (Index a = 0; a < next_dims[0]; ++a) {
        for (Index b = 0; b < next_dims[1]; ++b) {
          for (Index c = 0; c < next_dims[2]; ++c) {
            const Index index[] = {a, b, c};
            Index back[3];
            for (std::size_t d = 0; d < 3; ++d) back[permutation[d]] = index[d];
            const Index source = from.offset({back[0], back[1], back[2]});
            const Index target = to.offset({a, b, c});
            moved[static_cast<std::size_t>(target)] = place[static_cast<std::size_t>(source)];
            moves = moves || source != target;
          }
        }
      }
      moving += moves ? 1 : 0;
      place = std::move(moved);
      dims = next_dims;
    }
    text += fmt::format("  ROOT n = {} negate(m{})\n}}\n", type, length);
    SCOPED_TRACE(fmt::format("seed {}\n{}", kSeed + i, text));
    const CopiesReport report = copies_of(text);
    EXPECT_EQ(
        std::ranges::count(report.movements, Verdict::no, [](const Movement& m) { return m.answer.verdict; }),
        moving);
    EXPECT_EQ(report.unknown, 0);
    const bool back = std::ranges::is_sorted(place);
    const bool whole = !report.chains.empty() && report.chains[0].instructions.front()->name == "m1" &&
                       report.chains[0].instructions.back()->name == fmt::format("m{}", length);
    if (whole) {
      EXPECT_EQ(report.chains[0].cancels(), back);
      cancelled += back ? 1 : 0;
    }
    if (moving >= 2) {
      EXPECT_FALSE(report.chains.empty());
    }
  }
  EXPECT_GT(cancelled, 10);
}

}  // namespace
}  // namespace tessera
