// SPDX-License-Identifier: Apache-2.0
// Relayouts of random pairs of layouts: 20,000 pairs, more by TESSERA_LAW_CASES, seed TESSERA_SEED.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "laws/relayout_cases.h"
#include "laws/relayout_laws.h"
#include "relayout/build.h"
#include "relayout/prove.h"
#include "tessera/text/any.h"

namespace tessera::testing_relayout {
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

// A plan for one pair is proved for another only where the maps are the same: normal forms are equal then.
TEST(Relayout, ProofsHoldForTheirOwnLayoutsAlone) {
  const auto seed = static_cast<std::uint64_t>(from_environment("TESSERA_SEED", 1));
  Index proved = 0;
  for (Index n = 0; n < 3000; ++n) {
    RandomChoices choices(seed * 2000003 + static_cast<std::uint64_t>(n));
    const auto box = draw_box(choices, 120);
    const Layout src = draw_layout(choices, box, false, kBuffer);
    const Layout dst = draw_layout(choices, box, true, kBuffer);
    const auto from = to_digits(src);
    const auto to = to_digits(dst);
    const auto other_from = to_digits(draw_layout(choices, box, false, kBuffer));
    const auto other_to = to_digits(draw_layout(choices, box, true, kBuffer));
    if (!from || !to || !other_from || !other_to || from->empty_box()) continue;
    const auto plan = make_plan(src, dst, 4);
    ASSERT_TRUE(plan.has_value());
    proved += relayout::prove(plan->state(), *from, *to) ? 1 : 0;
    const auto where = [&] {
      return fmt::format("seed {}, case {}: {} to {}", seed, n, to_prefixed_string(src),
                         to_prefixed_string(dst));
    };
    EXPECT_TRUE(*other_from == *from || !relayout::prove(plan->state(), *other_from, *to)) << where();
    // A source that repeats may fill two destinations by the same moves.
    EXPECT_TRUE(*other_to == *to || !relayout::is_nested(*from) ||
                !relayout::prove(plan->state(), *from, *other_to))
        << where();
  }
  EXPECT_GT(proved, 2000);
}

}  // namespace
}  // namespace tessera::testing_relayout
