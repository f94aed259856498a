// SPDX-License-Identifier: Apache-2.0
#include "base/shortened.h"

#include <gtest/gtest.h>

#include "tessera/base/result.h"

namespace tessera {
namespace {

TEST(Shortened, KeepsAShortText) {
  EXPECT_EQ(shortened(""), "");
  EXPECT_EQ(shortened(std::string(60, 'a')), std::string(60, 'a'));
}

TEST(Shortened, ShowsBothEndsOfALongText) {
  const std::string text = "begin" + std::string(10'000'000, 'x') + "end";
  const std::string cut = shortened(text);
  EXPECT_EQ(cut.size(), 60U);
  EXPECT_TRUE(cut.starts_with("begin") && cut.ends_with("end")) << cut;
}

TEST(Shortened, CutsNoCharacterInHalf) {
  for (const std::string_view one : {"\u00e9", "\u2192", "\U0001f600"}) {
    std::string text;
    for (int i = 0; i < 100; ++i) text += one;
    for (std::size_t most = 16; most < 40; ++most) {
      const std::string cut = shortened(text, most);
      EXPECT_LE(cut.size(), most);
      std::string_view rest = cut;
      while (rest.starts_with(one)) rest.remove_prefix(one.size());
      ASSERT_TRUE(rest.starts_with("...")) << cut;
      rest.remove_prefix(3);
      while (rest.starts_with(one)) rest.remove_prefix(one.size());
      EXPECT_EQ(rest, "") << cut;
    }
  }
}

// A name of 10 MB once made a message of 20 MB.
TEST(Diagnostic, ShowsABoundedPartOfALongMessage) {
  const std::string name(10'000'000, 'x');
  Diagnostic d{.code = Code::unknown_name, .message = "'" + name + "' has no value"};
  d.notes = {name};
  d.witness = name;
  d.help = name;
  d.span = {0, static_cast<std::uint32_t>(name.size())};
  EXPECT_LT(to_string(d).size(), 2000U);
  EXPECT_LT(render(d, Source("<argument 1>", name)).size(), 6000U);
}

}  // namespace
}  // namespace tessera
