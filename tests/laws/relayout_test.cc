// SPDX-License-Identifier: Apache-2.0
// Relayouts of random pairs of layouts. TESSERA_LAW_CASES is the number of pairs (default 20,000),
// TESSERA_SEED the seed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "base/state_of.h"
#include "laws/relayout_cases.h"
#include "laws/relayout_laws.h"
#include "relayout/proof/prove.h"
#include "tessera/notation/layout.h"

namespace tessera::testing_relayout::relayout_test {
namespace {

Index from_environment(const char* name, Index otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoll(text, nullptr, 10);
}

constexpr Index kElements = 1500;
constexpr Index kBuffer = 24000;

TEST(Relayout, RandomPairsMoveWhatTheMapsSay) {
  const auto seed = static_cast<std::uint64_t>(from_environment("TESSERA_SEED", 1));
  const Index cases = from_environment("TESSERA_LAW_CASES", 20000);
  GuardedMemory from(16 * kWideBuffer + 64);
  GuardedMemory to(16 * kWideBuffer + 64);
  Index streamed = 0;
  Index staged = 0;
  for (Index n = 0; n < cases; ++n) {
    RandomChoices choices(seed * 1000003 + static_cast<std::uint64_t>(n));
    const bool wide = choices.one_in(25);
    const auto box = wide ? draw_wide_box(choices) : draw_box(choices, kElements);
    const Layout src = wide ? draw_wide_layout(choices, box) : draw_layout(choices, box, false, kBuffer);
    const Layout dst = wide ? draw_wide_layout(choices, box) : draw_layout(choices, box, true, kBuffer);
    const Setting setting = draw_setting(choices);
    const std::string wrong = check_relayout(src, dst, setting, from, to);
    ASSERT_EQ(wrong, "") << "seed " << seed << ", case " << n << ": " << to_prefixed_string(src) << " to "
                         << to_prefixed_string(dst) << ", " << setting.element_bytes << " bytes, padding "
                         << static_cast<int>(setting.options.padding) << ", isa "
                         << to_string(setting.options.isa) << ", gaps " << setting.src_gap << " "
                         << setting.dst_gap << ", threads " << setting.options.threads
                         << (setting.on_threads ? " at once" : "");
    if (!wide) continue;
    const std::string text = make_plan(src, dst, setting.element_bytes, setting.options)->describe();
    streamed += text.find(", stream") == std::string::npos ? 0 : 1;
    staged += text.find(", stage") == std::string::npos ? 0 : 1;
  }
  EXPECT_GE(streamed, cases / 100);
  EXPECT_GE(staged, cases / 4000);
}

TEST(Relayout, EditedPlansAreRefusedOrRight) {
  const auto seed = static_cast<std::uint64_t>(from_environment("TESSERA_SEED", 1));
  const Index cases = from_environment("TESSERA_LAW_CASES", 20000);
  GuardedMemory from(16 * kBuffer + 64);
  GuardedMemory to(16 * kBuffer + 64);
  for (Index n = 0; n < cases; ++n) {
    RandomChoices choices(seed * 3000017 + static_cast<std::uint64_t>(n));
    const auto box = draw_box(choices, 200);
    const Layout src = draw_layout(choices, box, false, kBuffer);
    const Layout dst = draw_layout(choices, box, true, kBuffer);
    const Setting setting = draw_setting(choices);
    const std::string wrong = check_edited_plan(choices, src, dst, setting, from, to);
    ASSERT_EQ(wrong, "") << "seed " << seed << ", case " << n << ": " << to_prefixed_string(src) << " to "
                         << to_prefixed_string(dst) << ", " << setting.element_bytes << " bytes";
  }
}

// The byte offsets of each element in the destination and the source.
using Moves = std::vector<std::pair<Index, Index>>;

Moves moves_of(const Layout& src, const Layout& dst, Index e) {
  Moves moves;
  for_each_index(src.shape(),
                 [&](std::span<const Index> x) { moves.emplace_back(dst.offset(x) * e, src.offset(x) * e); });
  std::ranges::sort(moves);
  return moves;
}

// The moves of a plan. Empty if it moves more than `most` elements, or parts of elements.
std::optional<Moves> moves_of(const RelayoutPlan::State& state, std::size_t most) {
  const Index e = state.element_bytes;
  Moves moves;
  for (const moving::PlanPart& part : state.parts) {
    const moving::Sweep& sweep = part.sweep;
    if (sweep.is<moving::mover::Fill>()) continue;
    if (sweep.run % e != 0) return std::nullopt;
    Moves own = {{part.dst, part.src}};
    const auto times = [&](Index count, const auto& dst, const auto& src) {
      if (static_cast<std::size_t>(count) > most / own.size() + 1) return false;
      Moves all;
      for (const auto& [to, from] : own) {
        for (Index i = 0; i < count; ++i) all.emplace_back(to + dst(i), from + src(i));
      }
      own = std::move(all);
      return true;
    };
    const auto entry = [](const Index* table, Index stride) {
      return [table, stride](Index i) { return table != nullptr ? table[i] : i * stride; };
    };
    bool fits = times(sweep.run / e, entry(nullptr, e), entry(nullptr, e));
    for (const moving::SweepAxis* axis : {&sweep.rows, &sweep.cols}) {
      fits = fits && times(axis->count, entry(axis->dst_table, axis->dst), entry(axis->src_table, axis->src));
    }
    for (std::uint32_t k = 0; k < sweep.loops && fits; ++k)
      fits = times(sweep.loop[k].count, entry(nullptr, sweep.loop[k].dst), entry(nullptr, sweep.loop[k].src));
    if (!fits || moves.size() > most) return std::nullopt;
    moves.insert(moves.end(), own.begin(), own.end());
  }
  std::ranges::sort(moves);
  return moves;
}

// verify() must accept a plan for a pair of layouts only if the plan moves each element of that pair once.
// Tested with other layouts, and with one number of the plan changed.
TEST(Relayout, ProofsHoldForRightMovesAlone) {
  const auto seed = static_cast<std::uint64_t>(from_environment("TESSERA_SEED", 1));
  Index proved = 0;
  Index plans = 0;
  Index changed = 0;
  const Index cases = from_environment("TESSERA_LAW_CASES", 20000) / 5;
  for (Index n = 0; n < cases; ++n) {
    RandomChoices choices(seed * 2000003 + static_cast<std::uint64_t>(n));
    const auto box = draw_box(choices, choices.one_in(4) ? 1500 : 120);
    const bool same = choices.one_in(3);  // elements that share a source offset
    const auto draw_src = [&] {
      return same ? draw_broadcast(choices, box) : draw_layout(choices, box, false, kBuffer);
    };
    const auto draw_dst = [&] {
      return same ? draw_swizzled(choices, box) : draw_layout(choices, box, true, kBuffer);
    };
    const Layout src = draw_src();
    const Layout dst = draw_dst();
    const Layout other_src = draw_src();
    const Layout other_dst = draw_dst();
    if (src.size() == 0) continue;
    const Index e = choices.one_in(2) ? 1 : 4;
    const auto plan = make_plan(src, dst, e);
    ASSERT_TRUE(plan.has_value());
    const auto where = [&] {
      return fmt::format("seed {}, case {}: {} to {}\n{}", seed, n, to_prefixed_string(src),
                         to_prefixed_string(dst), plan->describe());
    };
    ++plans;
    proved += moving::prove(detail::state_of(*plan), src, dst) ? 1 : 0;
    const Moves right = moves_of(src, dst, e);
    EXPECT_EQ(moves_of(detail::state_of(*plan), right.size()), right) << where();
    EXPECT_TRUE(!moving::prove(detail::state_of(*plan), other_src, dst) ||
                moves_of(other_src, dst, e) == right)
        << where() << to_prefixed_string(other_src);
    EXPECT_TRUE(!moving::prove(detail::state_of(*plan), src, other_dst) ||
                moves_of(src, other_dst, e) == right)
        << where() << to_prefixed_string(other_dst);
    const std::string text = plan->describe();
    for (int attempt = 0; attempt < 12; ++attempt) {
      const auto at = static_cast<std::size_t>(choices.pick(0, static_cast<Index>(text.size()) - 1));
      const Index by = choices.pick(1, 9);
      if (text[at] < '0' || text[at] > '9') continue;
      std::string other = text;
      other[at] = static_cast<char>('0' + (text[at] - '0' + by) % 10);
      const auto wrong = parse_plan(other);
      if (!wrong || detail::state_of(*wrong).element_bytes != e) continue;
      ++changed;
      EXPECT_TRUE(!moving::prove(detail::state_of(*wrong), src, dst) ||
                  moves_of(detail::state_of(*wrong), right.size()) == right)
          << where() << other;
    }
  }
  EXPECT_GT(proved, plans * 9 / 10) << "of " << plans;
  EXPECT_GT(changed, plans / 2) << "of " << plans;
}

}  // namespace
}  // namespace tessera::testing_relayout::relayout_test
