// SPDX-License-Identifier: Apache-2.0
#include "verbs/hlo.h"

#include <gtest/gtest.h>

namespace tessera::verbs {
namespace {

constexpr const char* kProgram =
    "ENTRY e { a = f32[2,3]{1,0} parameter(0) ROOT t = f32[3,2]{1,0} transpose(a), dimensions={1,0} }";

TEST(Hlo, AnswersAboutATextInPartsOrAsAWhole) {
  Observer observer;
  const auto whole = hlo({.text = kProgram}, observer);
  ASSERT_TRUE(whole.has_value());
  const VerbAnswer& answer = *whole;
  EXPECT_NE(answer.to_text()->find("(d0, d1) -> (d1, d0)"), std::string::npos);
  EXPECT_NE(answer.to_json()->find("\"results\":[{\"schema\":\"tessera.hlo/1\",\"file\":\"<text>\""),
            std::string::npos);

  class Taking : public Observer {
   public:
    bool took(const VerbAnswer& part) override {
      text += *part.to_text();
      return true;
    }
    std::string text;
  } taking;
  const auto parts = hlo({.text = kProgram}, taking);
  ASSERT_TRUE(parts.has_value());
  EXPECT_EQ(taking.text, *answer.to_text());
  EXPECT_EQ(*static_cast<const VerbAnswer&>(*parts).to_text(), "");
}

TEST(Hlo, RefusesWhatNoProgramHas) {
  Observer observer;
  const auto none = hlo({.text = kProgram, .op = {"u"}}, observer);
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().field, "op");
  const auto both = hlo({.text = kProgram, .fused = true, .traffic = true}, observer);
  ASSERT_FALSE(both.has_value());
  EXPECT_EQ(both.error().message, "--fused has no effect with --traffic");
}

}  // namespace
}  // namespace tessera::verbs
