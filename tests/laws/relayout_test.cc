// SPDX-License-Identifier: Apache-2.0
// Relayouts of random pairs of layouts: 20,000 pairs, more by TESSERA_LAW_CASES, seed TESSERA_SEED.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "laws/relayout_cases.h"
#include "laws/relayout_laws.h"
#include "tessera/relayout/isa.h"
#include "tessera/text/any.h"

namespace tessera::testing_relayout {
namespace {

Index from_environment(const char* name, Index otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoll(text, nullptr, 10);
}

constexpr Index kElements = 1500;
constexpr Index kBuffer = 24000;

Setting draw_setting(Choices& choices, const std::vector<Isa>& isas) {
  constexpr std::array<Index, 8> kWidths = {1, 2, 3, 4, 6, 8, 12, 16};
  Setting setting;
  setting.element_bytes = kWidths[static_cast<std::size_t>(choices.pick(0, 7))];
  setting.options.padding = static_cast<Padding>(choices.pick(0, 3));
  for (std::byte& b : setting.options.fill) b = static_cast<std::byte>(choices.pick(0, 255));
  setting.options.consumer = static_cast<Consumer>(choices.pick(0, 1));
  setting.options.isa = isas[static_cast<std::size_t>(choices.pick(0, static_cast<Index>(isas.size()) - 1))];
  setting.options.threads = static_cast<int>(choices.pick(1, 8));
  setting.options.min_chunk_bytes = choices.pick(1, 2000);
  // Half of the plans stream, as large ones do.
  setting.options.l2_bytes = choices.one_in(2) ? 1 : 0;
  setting.src_gap = static_cast<std::size_t>(choices.pick(0, 63));
  setting.dst_gap = static_cast<std::size_t>(choices.pick(0, 63));
  setting.at_end = choices.one_in(2);
  if (choices.one_in(2)) setting.src_gap = setting.dst_gap = 0;
  setting.through_text = choices.one_in(8);
  return setting;
}

TEST(Relayout, RandomPairsMoveWhatTheMapsSay) {
  const auto seed = static_cast<std::uint64_t>(from_environment("TESSERA_SEED", 1));
  const Index cases = from_environment("TESSERA_LAW_CASES", 20000);
  const auto isas = available_isas();
  GuardedMemory from(16 * kBuffer + 64);
  GuardedMemory to(16 * kBuffer + 64);
  for (Index n = 0; n < cases; ++n) {
    RandomChoices choices(seed * 1000003 + static_cast<std::uint64_t>(n));
    const auto box = draw_box(choices, kElements);
    const Layout src = draw_layout(choices, box, false, kBuffer);
    const Layout dst = draw_layout(choices, box, true, kBuffer);
    const Setting setting = draw_setting(choices, isas);
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
