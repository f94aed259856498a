// SPDX-License-Identifier: Apache-2.0
#include "verbs/verb.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/json.h"
#include "report/exit_status.h"
#include "verbs/equal.h"
#include "verbs/json_request.h"
#include "verbs/map.h"
#include "verbs/reshard.h"

namespace tessera::verbs {
namespace {

using testing::HasSubstr;

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(at), text.size());
    out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

const Field* find_field(const Verb& verb, std::string_view name) {
  const auto found = std::ranges::find(verb.fields, name, &Field::name);
  return found == verb.fields.end() ? nullptr : &*found;
}

TEST(Verbs, FieldsThatNeedOrExcludeOthersNameFields) {
  for (const Verb& verb : all_verbs()) {
    std::set<std::string_view> names;
    for (const Field& field : verb.fields) {
      EXPECT_TRUE(names.insert(field.name).second) << verb.name << " has two fields " << field.name;
      EXPECT_FALSE(field.help.empty() || (field.help.ends_with('.') && !field.help.ends_with("...")))
          << verb.name << " " << field.name;
      if (!field.needs.empty()) {
        EXPECT_NE(find_field(verb, field.needs), nullptr) << verb.name << " " << field.name;
      }
      for (const std::string& other : split(field.excludes, ' '))
        EXPECT_NE(find_field(verb, other), nullptr) << verb.name << " " << field.name << " " << other;
    }
  }
}

// The words of the help are written by hand; `auto` and `none` are defaults that it may leave out.
TEST(Verbs, HelpListsTheWordsThatAFieldTakes) {
  int compared = 0;
  for (const Verb& verb : all_verbs()) {
    const Json schema = Json::parse(verb.schema());
    for (const Field& field : verb.fields) {
      Json type = schema["properties"][std::string(field.name)];
      if (type.contains("oneOf") && !field.bare.empty()) type = type["oneOf"][0];
      if (!type.contains("enum") || !type["enum"][0].is_string()) continue;
      ++compared;
      std::string_view value = field.value;
      if (value.starts_with('[')) value = value.substr(1, value.size() - 2);
      std::vector<std::string> shown = split(value, '|');
      std::vector<std::string> taken = type["enum"].get<std::vector<std::string>>();
      for (const char* const word : {"auto", "none"})
        if (std::ranges::find(shown, word) == shown.end()) std::erase(taken, word);
      EXPECT_THAT(shown, testing::UnorderedElementsAreArray(taken)) << verb.name << " " << field.name;
    }
  }
  EXPECT_GT(compared, 10);
}

Diagnostic refusal_of(std::string_view verb, const FieldTexts& texts) {
  Observer observer;
  Diagnostic refusal;
  EXPECT_EQ(find_verb(verb)->ask(texts, observer, refusal), nullptr) << verb;
  return refusal;
}

TEST(Verbs, ErrorsNameTheFieldAndItsValue) {
  const FieldTexts layout = {{"layout", {"4:1"}}};
  FieldTexts texts = layout;
  texts["threads"] = {"4:1", "nothing"};
  texts["bytes"] = {"4"};
  Diagnostic error = refusal_of("access", texts);
  EXPECT_EQ(error.field, "threads");
  EXPECT_EQ(error.item, 1U);
  EXPECT_EQ(status_of(error), kBadInput);

  texts = layout;
  texts["bytes"] = {"0"};
  error = refusal_of("access", texts);
  EXPECT_EQ(error.field, "bytes");
  EXPECT_EQ(error.message, "--bytes must be between 1 and 1048576, not 0");

  texts = layout;
  texts["bytes"] = {"4"};
  texts["bits"] = {"4"};
  EXPECT_EQ(refusal_of("access", texts).message, "--bits and --bytes exclude each other");
  texts.erase("bits");
  texts["phase"] = {"0"};
  EXPECT_EQ(refusal_of("access", texts).message, "--phase has no effect without --view");

  EXPECT_EQ(refusal_of("reshard at", {{"dist", {"{replicated}"}}, {"index", {"0"}}}).field, "shape");
  EXPECT_EQ(refusal_of("reshard plan", {}).message, "--from is missing");
}

// A text that cannot be read is bad input, even if its code is that of an answer no.
TEST(Verbs, UnreadableTextsAreBadInput) {
  const Diagnostic error = refusal_of("map simplify", {{"map", {"(d0) -> (d0 / 0), domain: d0 in [0, 3]"}}});
  EXPECT_EQ(error.field, "map");
  EXPECT_EQ(status_of(error), kBadInput);
}

TEST(Verbs, RepeatedFieldsKeepTheirValues) {
  Observer observer;
  Diagnostic refusal;
  const auto answer = find_verb("at")->ask(
      {{"layout", {"f32[3,5]{1,0:T(2,2)}"}}, {"index", {"2,3", "0,9", "0,0"}}}, observer, refusal);
  ASSERT_NE(answer, nullptr);
  EXPECT_THAT(*answer->to_text(), HasSubstr("17\nerror[index_out_of_range]"));
  ASSERT_EQ(answer->refused_parts().size(), 1U);
  EXPECT_EQ(answer->refused_parts()[0].item, 1U);
  EXPECT_EQ(answer->status(), kBadInput);
}

// A list was cut after its first number, and a list for a field with one value was joined.
TEST(Verbs, ListsAreReadAsAWhole) {
  const std::string map = "(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 9]";
  EXPECT_EQ(refusal_of("tile", {{"input", {map}}, {"tile", {"4", "-8"}}}).field, "tile");
  Observer observer;
  Diagnostic refusal;
  const auto answer = find_verb("tile")->ask({{"input", {map}}, {"tile", {"4", "5"}}}, observer, refusal);
  ASSERT_NE(answer, nullptr);
  EXPECT_THAT(*answer->to_text(), HasSubstr("(4, 5)"));
  EXPECT_EQ(refusal_of("equal", {{"a", {"4:1", "5:1"}}, {"b", {"4:1"}}}).message, "A takes one value, not 2");
}

// Wrong options were found only when a line arrived, after the file of -o had been replaced.
TEST(Verbs, TheRestOfARequestCanBeChecked) {
  Diagnostic refusal;
  const Verb& convert = *find_verb("convert");
  EXPECT_FALSE(convert.check({{"layout", {"-"}}, {"to", {"foo"}}}, "layout", refusal));
  EXPECT_EQ(refusal.field, "to");
  EXPECT_TRUE(convert.check({{"layout", {"-"}}, {"to", {"cute"}}}, "layout", refusal));
  EXPECT_FALSE(find_verb("equal")->check({{"a", {"-"}}}, "a", refusal));
  EXPECT_EQ(refusal.message, "B is missing");
}

// Numbers of base 16 were refused; 8.0 and "false" are what JSON Schema says they are.
TEST(Verbs, NumbersAndFlagsAreReadAsTheirSchemasSay) {
  Observer observer;
  Diagnostic refusal;
  const std::string map = "(d0) -> (d0), domain: d0 in [0, 9]";
  EXPECT_NE(find_verb("tile")->ask({{"input", {map}}, {"tile", {"0x4"}}}, observer, refusal), nullptr);
  EXPECT_EQ(field_texts(Json{{"tile", 8.0}})->at("tile"), std::vector<std::string>{"8"});
  EXPECT_EQ(refusal_of("access", {{"layout", {"4:1"}}, {"bytes", {"4"}}, {"all_phases", {"true"}}}).message,
            "--all-phases has no effect without --view");
  EXPECT_NE(find_verb("access")->ask({{"layout", {"4:1"}}, {"bytes", {"4"}}, {"all_phases", {"false"}}},
                                     observer, refusal),
            nullptr);
  EXPECT_EQ(
      refusal_of("show", {{"layout", {"pack:low u4[8]"}}, {"view", {"bits"}}, {"word", {"12"}}}).message,
      "--word must be one of 8, 16, 32, 64, not 12");
}

TEST(Verbs, CanBeCalledWithValues) {
  Observer observer;
  const auto answer = equal({.a = "(4,8):(8,1)", .b = "(4,8):(1,4)"}, observer);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(std::get<PairEquality>(answer->value()).equality.verdict, Verdict::no);
  EXPECT_EQ(*static_cast<const VerbAnswer&>(*answer).to_text(), "no at (0, 1): 1 and 4");
}

}  // namespace
}  // namespace tessera::verbs
