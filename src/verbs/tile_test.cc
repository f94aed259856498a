// SPDX-License-Identifier: Apache-2.0
#include "verbs/tile.h"

#include <gtest/gtest.h>

#include "verbs/json_request.h"

namespace tessera::verbs {
namespace {

constexpr const char* kMap = "(d0) -> (d0 / 6, d0 mod 6), domain: d0 in [0, 47]";

std::string field_of_error(const FieldTexts& texts) {
  NoAnswer refusal;
  EXPECT_EQ(find_verb("tile")->ask(texts, refusal), nullptr);
  return std::string(refusal.diagnostic.field);
}

TEST(TileRequest, IsTheSameFromTextsAndFromItsJson) {
  const FieldTexts texts = {{"input", "p.hlo"},  {"op", "dot"},     {"tile", "1,0,64"},
                            {"at", "0,128"},     {"budget", "48K"}, {"direction", "in"},
                            {"through", "true"}, {"operand", "1"},  {"leaf", "all"}};
  const auto request = read_request<TileRequest>(texts);
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->budget->bytes, 49152);
  const Json json = to_json(*request);
  const auto again = field_texts(json);
  ASSERT_TRUE(again.has_value());
  const auto read = read_request<TileRequest>(*again);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(to_json(*read), json);
  EXPECT_EQ(json.size(), texts.size());
}

TEST(TileRequest, ErrorsNameTheirField) {
  EXPECT_EQ(field_of_error({}), "input");
  EXPECT_EQ(field_of_error({{"input", kMap}, {"tyle", "1"}}), "");
  EXPECT_EQ(field_of_error({{"input", "(d0) -> ("}}), "input");
  EXPECT_EQ(field_of_error({{"input", kMap}, {"tile", "x"}}), "tile");
  EXPECT_EQ(field_of_error({{"input", kMap}, {"tile", "99"}}), "tile");
  EXPECT_EQ(field_of_error({{"input", kMap}, {"at", "0,1"}}), "at");
  EXPECT_EQ(field_of_error({{"input", kMap}, {"budget", "0"}}), "budget");
  EXPECT_EQ(field_of_error({{"input", kMap}, {"direction", "up"}}), "direction");
  EXPECT_EQ(field_of_error({{"input", kMap}, {"operand", "-1"}}), "operand");
  EXPECT_EQ(field_of_error({{"input", kMap}, {"leaf", "most"}}), "leaf");
  EXPECT_EQ(field_of_error({{"input", "missing.hlo"}}), "input");
}

TEST(TileRequest, AnswersWithTheTile) {
  std::vector<FileProblem> problems;
  auto map = FieldType<MapOrProgram>::read(kMap);
  ASSERT_TRUE(map.has_value());
  const auto answer = tile({.input = *std::move(map), .tile = {12}}, problems);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->status(), 0);
  EXPECT_NE(answer->to_text().find("(tid_0 * 2, 0)"), std::string::npos);
}

}  // namespace
}  // namespace tessera::verbs
