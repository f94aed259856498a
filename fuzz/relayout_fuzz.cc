// SPDX-License-Identifier: Apache-2.0
// The input's bytes choose two layouts. The plan between them must move every byte according to their maps.
// If an edited plan is proved, it must do so too. An input that is the text of a plan is parsed: parsing must
// not crash, and the printed plan parses back.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "laws/relayout_cases.h"
#include "laws/relayout_laws.h"
#include "tessera/notation/layout.h"

namespace {

using namespace tessera;
using namespace tessera::testing_relayout;

// Uses two bytes for each choice. After the last byte, every choice is 0.
class ByteChoices final : public Choices {
 public:
  ByteChoices(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  Index pick(Index low, Index high) override {
    std::uint64_t value = 0;
    for (int i = 0; i < 2 && at_ < size_; ++i) value = value << 8 | data_[at_++];
    return low + static_cast<Index>(value % static_cast<std::uint64_t>(high - low + 1));
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

constexpr Index kElements = 600;
constexpr Index kBuffer = 8000;

void check_text(std::string_view text) {
  const auto plan = parse_plan(text, Isa::scalar);
  if (!plan) return;
  const auto again = parse_plan(plan->describe(), Isa::scalar);
  if (!again || again->describe() != plan->describe()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.starts_with("relayout")) {
    check_text(text);
    return 0;
  }
  ByteChoices choices(data, size);
  static GuardedMemory from(16 * kBuffer + 64);
  static GuardedMemory to(16 * kBuffer + 64);
  const auto box = draw_box(choices, kElements);
  const Layout src = draw_layout(choices, box, false, kBuffer);
  const Layout dst = draw_layout(choices, box, true, kBuffer);
  const Setting setting = draw_setting(choices);
  std::string wrong = check_relayout(src, dst, setting, from, to);
  for (int edited = 0; wrong.empty() && edited < 4; ++edited)
    wrong = check_edited_plan(choices, src, dst, setting, from, to);
  if (!wrong.empty()) {
    std::fprintf(stderr, "%s to %s, %d bytes: %s\n", to_prefixed_string(src).c_str(),
                 to_prefixed_string(dst).c_str(), static_cast<int>(setting.element_bytes), wrong.c_str());
    std::abort();
  }
  return 0;
}
