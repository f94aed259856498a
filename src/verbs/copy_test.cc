// SPDX-License-Identifier: Apache-2.0
#include "verbs/copy.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace tessera::verbs {
namespace {

// The answer is not wanted once the work has begun.
class Unwanted : public Observer {
 public:
  void advanced(std::string_view, std::uint64_t, std::uint64_t) override { ++steps; }
  bool cancelled() override { return true; }
  int steps = 0;
};

TEST(Copy, ACanceledCopyLeavesNoFile) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "tessera-copy-canceled";
  std::filesystem::create_directory(folder);
  const std::string in = folder / "a.raw";
  const std::string out = folder / "b.raw";
  std::ofstream(in) << "abcdef";
  const FieldTexts texts = {{"in", {in}}, {"out", {out}}, {"from", {"u8[2,3]"}}, {"to", {"F"}}};
  const Verb& verb = *find_verb("copy");
  Diagnostic refusal;
  Unwanted unwanted;
  EXPECT_EQ(verb.ask(texts, unwanted, refusal), nullptr);
  EXPECT_EQ(refusal.code, Code::cancelled);
  EXPECT_LE(unwanted.steps, 1);
  EXPECT_FALSE(std::filesystem::exists(out));
  Observer wanted;
  const auto answer = verb.ask(texts, wanted, refusal);
  ASSERT_NE(answer, nullptr);
  EXPECT_TRUE(std::filesystem::exists(out));
  EXPECT_TRUE(answer->is_report());
  EXPECT_EQ(verb.ask(texts, wanted, refusal), nullptr);
  EXPECT_EQ(refusal.code, Code::file_exists);
  EXPECT_EQ(refusal.field, "out");
  std::filesystem::remove_all(folder);
}

// The answer is no longer wanted once all is written: while it is verified.
class UnwantedAtTheEnd : public Observer {
 public:
  void advanced(std::string_view, std::uint64_t done, std::uint64_t total) override {
    written = done == total;
  }
  bool cancelled() override { return written; }
  bool written = false;
};

// A canceled --verify threw away what the journal had: the next run began from nothing.
TEST(Reshard, ACanceledVerificationKeepsWhatWasWritten) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "tessera-verify-canceled";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  const std::string in = folder / "a0.raw";
  std::ofstream(in) << "abcdef";
  FieldTexts texts = {{"src", {folder / "a{place}.raw"}}, {"dst", {folder / "new"}},
                      {"raw", {"u8[2,3]{1,0}"}},          {"from", {"{replicated}"}},
                      {"to", {"{devices=[2,1]<=[2]}"}},   {"verify", {}}};
  const Verb& verb = *find_verb("reshard files");
  Diagnostic refusal;
  UnwantedAtTheEnd unwanted;
  EXPECT_EQ(verb.ask(texts, unwanted, refusal), nullptr);
  EXPECT_EQ(refusal.code, Code::cancelled);
  ASSERT_EQ(refusal.notes.size(), 1u);
  EXPECT_NE(refusal.notes[0].find("--resume"), std::string::npos);
  texts.insert({"resume", {}});
  Observer wanted;
  const auto answer = verb.ask(texts, wanted, refusal);
  ASSERT_NE(answer, nullptr) << refusal.message;
  EXPECT_NE(answer->to_text(Terminal())->find("resumed: 6 bytes"), std::string::npos)
      << *answer->to_text(Terminal());
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tessera::verbs
