// SPDX-License-Identifier: Apache-2.0
#include "verbs/tile.h"

#include <gtest/gtest.h>

#include "report/exit_status.h"
#include "verbs/json_request.h"

namespace tessera::verbs {
namespace {

constexpr const char* kMap = "(d0) -> (d0 / 6, d0 mod 6), domain: d0 in [0, 47]";

// The texts of fields that have one each.
FieldTexts one_each(const std::map<std::string, std::string>& texts) {
  FieldTexts out;
  for (const auto& [name, text] : texts) out[name] = {text};
  return out;
}

std::string field_of_error(const std::map<std::string, std::string>& texts) {
  Observer observer;
  Diagnostic refusal;
  EXPECT_EQ(find_verb("tile")->ask(one_each(texts), observer, refusal), nullptr);
  EXPECT_EQ(status_of(refusal), kBadInput);
  return std::string(refusal.field);
}

TEST(TileRequest, IsReadFromTexts) {
  const FieldTexts texts = one_each({{"input", "p.hlo"},
                                     {"op", "dot"},
                                     {"tile", "1,0,64"},
                                     {"at", "0,128"},
                                     {"budget", "48K"},
                                     {"direction", "in"},
                                     {"through", "true"},
                                     {"sizes", "true"},
                                     {"operand", "1"},
                                     {"leaf", "all"}});
  const auto request = read_request<TileRequest>(texts);
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->budget->bytes, 49152);
  EXPECT_EQ(request->tile, (IndexList{1, 0, 64}));
  EXPECT_TRUE(request->sizes);
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
  Observer observer;
  auto map = FieldType<MapOrProgram>::read(kMap);
  ASSERT_TRUE(map.has_value());
  const auto answer = tile({.input = *std::move(map), .tile = {12}}, observer);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->status(), 0);
  EXPECT_NE(static_cast<const VerbAnswer&>(*answer).to_text()->find("(tid_0 * 2, 0)"), std::string::npos);
}

}  // namespace
}  // namespace tessera::verbs
