// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tessera/notation/layout.h"
#include "tessera/text/index_map.h"

namespace tessera::pasted_map_test {
namespace {

constexpr std::string_view kMap = "(d0) -> (d0 mod 4), domain: d0 in [0, 7]";

std::string read(std::string_view text) {
  const auto map = parse_index_map(text);
  return map ? to_string(*map) : to_string(map.error());
}

TEST(PastedMap, IsReadFromItsAttribute) {
  for (const std::string_view text :
       {"#xla.indexing_map<\"(d0) -> (d0 mod 4), domain: d0 in [0, 7]\">",
        "#xla_gpu.indexing_map<(d0) -> (d0 mod 4), domain: d0 in [0, 7]>",
        "indexing_map<\"(d0) -> (d0 mod 4), domain: d0 in [0, 7]\">",
        " #map1 = #xla.indexing_map< \"(d0) -> (d0 mod 4), domain: d0 in [0, 7]\" > ",
        "xla.indexing_map<\\\"(d0) -> (d0 mod 4),\\0Adomain: d0 in [0, 7]\\\">",
        "affine_map<(d0) -> (d0 mod 4)>, domain: d0 in [0, 7]",
        "#map = affine_map<(d0) -> (d0 mod 4)>, domain: d0 in [0, 7]"}) {
    EXPECT_EQ(read(text), kMap) << text;
  }
  EXPECT_EQ(read("#xla.indexing_map<\"KNOWN EMPTY\">"), "KNOWN EMPTY");
}

TEST(PastedMap, OfAnAffineMapIsUnbounded) {
  const auto map = parse_index_map("affine_map<(d0, d1)[s0] -> (d0 floordiv 8, d1 mod 4 + s0)>");
  ASSERT_TRUE(map.has_value());
  EXPECT_EQ(map->dim_count(), 2u);
  EXPECT_EQ(map->range_count(), 1u);
  EXPECT_EQ(map->variables()[0].bounds, Interval());
  EXPECT_EQ(map->evaluate(std::vector<Index>{17, 5, 3}), (std::vector<Index>{2, 4}));
}

TEST(PastedMap, HasErrorsAtTheOriginalPlace) {
  const std::string_view text = "#xla.indexing_map<\"(d0) -> (d1), domain: d0 in [0, 7]\">";
  const auto map = parse_index_map(text);
  ASSERT_FALSE(map.has_value());
  EXPECT_EQ(map.error().code, Code::unknown_name);
  EXPECT_EQ(map.error().span.begin, text.find("d1"));
  for (const std::string_view open : {"affine_map<(d0) -> (d0)", "#xla.indexing_map<\"(d0) -> (d0)",
                                      "#xla.indexing_map<\"(d0) -> (d0)>", "indexing_map<", "affine_map<"}) {
    EXPECT_FALSE(parse_index_map(open).has_value()) << open;
    EXPECT_FALSE(parse_legacy_map(open).has_value()) << open;
    EXPECT_FALSE(parse_layout(open).has_value()) << open;
  }
}

TEST(PastedMap, IsALayoutWithADomain) {
  const auto layout =
      parse_layout("affine_map<(d0, d1) -> (d0 * 8 + d1)>, domain: d0 in [0, 3], d1 in [0, 7]");
  ASSERT_TRUE(layout.has_value());
  EXPECT_EQ(layout->offset(std::vector<Index>{1, 1}), 9);
  EXPECT_FALSE(parse_layout("affine_map<(d0, d1) -> (d0 * 8 + d1)>").has_value());
}

}  // namespace
}  // namespace tessera::pasted_map_test
