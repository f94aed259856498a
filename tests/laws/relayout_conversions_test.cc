// SPDX-License-Identifier: Apache-2.0
// Copies between all layouts in the conversion vectors, both the sources and the expected results.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "laws/relayout_laws.h"
#include "tessera/notation/layout.h"

namespace tessera::testing_relayout::relayout_conversions_test {
namespace {

using Json = nlohmann::json;
using Extents = std::vector<Index>;

constexpr Index kBuffer = 1 << 16;

// The text of one side of a row. Adds the shape if the notation omits it.
std::string text_of(const Json& value, const std::string& notation, const Extents& shape) {
  if (notation == "strides") {
    return fmt::format("np:({}):({}) + {}", fmt::join(value["shape"].get<Extents>(), ","),
                       fmt::join(value["strides"].get<Extents>(), ","), value["offset"].get<Index>());
  }
  if (notation == "linear") {
    std::string text = "ll:";
    for (std::size_t d = 0; d < value["bases"].size(); ++d)
      text += fmt::format(" d{}:{}", d, fmt::join(value["bases"][d].get<Extents>(), ","));
    return text;
  }
  const auto text = value["text"].get<std::string>();
  if (notation == "morello") return fmt::format("mor:{}:{}", fmt::join(shape, "x"), text);
  if (notation != "cute") return notation + ":" + text;
  const bool cropped = value.contains("crop");
  return cropped ? fmt::format("cute:{} crop ({})", text, fmt::join(value["crop"].get<Extents>(), ","))
                 : "cute:" + text;
}

// The layouts of all rows, by shape.
std::map<Extents, std::vector<Layout>> layouts_by_shape(const std::string& path) {
  std::map<Extents, std::vector<Layout>> found;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const Json row = Json::parse(line);
    const Json& source = row["source"];
    const auto own = source.contains("shape") ? source["shape"].get<Extents>() : Extents();
    const auto from = parse_layout(text_of(source, source["notation"].get<std::string>(), own));
    if (!from) continue;  // the row expects a refusal
    const Extents shape(from->shape().begin(), from->shape().end());
    const auto keep = [&](const Layout& layout) {
      const auto size = layout.buffer_size();
      if (size && *size <= kBuffer && std::ranges::equal(layout.shape(), shape))
        found[shape].push_back(layout);
    };
    keep(*from);
    if (!row.contains("expect")) continue;  // the row expects a refusal, or accepts any text
    const auto to = parse_layout(text_of(row["expect"], row["to"].get<std::string>(), shape));
    EXPECT_TRUE(to.has_value()) << line;
    if (to) keep(*to);
  }
  return found;
}

TEST(Relayout, ConversionsOfTheVectorsCopyIntoEachOther) {
  const auto layouts =
      layouts_by_shape(std::string(TESSERA_SOURCE_DIR) + "/tests/vectors/conversions/convert.jsonl");
  GuardedMemory from(16 * kBuffer + 64);
  GuardedMemory to(16 * kBuffer + 64);
  RandomChoices choices(1);
  int copies = 0;
  int refused = 0;
  for (const auto& [shape, same] : layouts) {
    for (int n = 0; n < 12; ++n) {
      const auto draw = [&] { return same[static_cast<std::size_t>(choices.pick(0, std::ssize(same) - 1))]; };
      const Layout src = draw();
      const Layout dst = draw();
      const Setting setting = draw_setting(choices);
      std::string wrong = check_relayout(src, dst, setting, from, to);
      if (const auto plan = make_plan(src, dst, setting.element_bytes); !plan) {
        // Some rows repeat offsets intentionally.
        EXPECT_EQ(plan.error().code, Code::broadcast) << to_string(plan.error());
        const auto meeting = collision(dst);
        EXPECT_TRUE(meeting.has_value() && meeting->has_value()) << to_prefixed_string(dst);
        ++refused;
        continue;
      }
      ++copies;
      EXPECT_EQ(wrong, "") << to_prefixed_string(src) << " to " << to_prefixed_string(dst) << ", "
                           << setting.element_bytes << " bytes";
    }
  }
  EXPECT_GT(copies, 500);
  EXPECT_GT(copies, 10 * refused);
}

}  // namespace
}  // namespace tessera::testing_relayout::relayout_conversions_test
