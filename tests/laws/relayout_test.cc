// SPDX-License-Identifier: Apache-2.0
// Relayouts of random pairs of layouts: 20,000 pairs, more by TESSERA_LAW_CASES, seed TESSERA_SEED.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "laws/relayout_cases.h"
#include "laws/relayout_laws.h"
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
  GuardedMemory from(16 * kBuffer + 64);
  GuardedMemory to(16 * kBuffer + 64);
  for (Index n = 0; n < cases; ++n) {
    RandomChoices choices(seed * 1000003 + static_cast<std::uint64_t>(n));
    const auto box = draw_box(choices, kElements);
    const Layout src = draw_layout(choices, box, false, kBuffer);
    const Layout dst = draw_layout(choices, box, true, kBuffer);
    const Setting setting = draw_setting(choices);
    const std::string wrong = check_relayout(src, dst, setting, from, to);
    ASSERT_EQ(wrong, "") << "seed " << seed << ", case " << n << ": " << to_prefixed_string(src) << " to "
                         << to_prefixed_string(dst) << ", " << setting.element_bytes << " bytes, padding "
                         << static_cast<int>(setting.options.padding) << ", isa "
                         << to_string(setting.options.isa) << ", gaps " << setting.src_gap << " "
                         << setting.dst_gap << ", threads " << setting.options.threads;
  }
}

}  // namespace
}  // namespace tessera::testing_relayout
