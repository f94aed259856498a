// SPDX-License-Identifier: Apache-2.0
// Laws of parsing and printing, tested on real programs, the examples, and damaged copies of both.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "laws/hlo_laws.h"
#include "tessera/hlo/module.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files(const fs::path& folder, std::string_view extension) {
  std::vector<fs::path> out;
  if (!fs::exists(folder)) return out;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == extension) out.push_back(entry.path());
  }
  return out;
}

void check_clean_file(const fs::path& path) {
  SCOPED_TRACE(path.string());
  const auto source = read_file(path.string());
  ASSERT_TRUE(source.has_value()) << source.error().message;
  const ParsedModules parsed = parse_hlo(*source);
  for (const Diagnostic& diagnostic : parsed.diagnostics) ADD_FAILURE() << render(diagnostic, *parsed.source);
  EXPECT_EQ(check_parsed(parsed), "");
  EXPECT_EQ(check_round_trip(parsed), "");
}

TEST(HloLaws, HoldForTheExamples) {
  const auto examples = files(fs::path(TESSERA_SOURCE_DIR) / "examples/hlo", ".hlo");
  EXPECT_FALSE(examples.empty());
  for (const fs::path& path : examples) check_clean_file(path);
}

TEST(HloLaws, HoldForRealPrograms) {
  const auto programs = files(fs::path(TESSERA_SOURCE_DIR) / "../shared/hlo", ".gz");
  if (programs.empty()) GTEST_SKIP() << "no folder ../shared/hlo";
  for (const fs::path& path : programs) check_clean_file(path);
}

// Checks the laws on one seed text and its damaged copies.
void check_damaged(const std::string& text, unsigned seed) {
  std::mt19937 random(seed);
  const auto pick = [&](std::size_t below) {
    return std::uniform_int_distribution<std::size_t>(0, below - 1)(random);
  };
  constexpr std::string_view kBytes = "{}()[]=,%\"'/*#:- \n019xaE\\";
  std::string damaged = text;
  for (std::size_t change = 1 + pick(4); change > 0 && !damaged.empty(); --change) {
    const std::size_t at = pick(damaged.size());
    switch (pick(4)) {
      case 0:
        damaged.resize(at);
        break;
      case 1:
        damaged.erase(at, 1 + pick(12));
        break;
      case 2:
        damaged.insert(at, 1 + pick(3), kBytes[pick(kBytes.size())]);
        break;
      default: {
        const std::size_t from = pick(damaged.size());
        damaged.insert(at, damaged.substr(from, 1 + pick(40)));
      }
    }
  }
  const ParsedModules parsed = parse_hlo(damaged);
  ASSERT_EQ(check_parsed(parsed), "") << "seed " << seed << "\n" << damaged;
  ASSERT_EQ(check_round_trip(parsed), "") << "seed " << seed << "\n" << damaged;
}

TEST(HloLaws, HoldForDamagedTexts) {
  auto seeds = files(fs::path(TESSERA_SOURCE_DIR) / "fuzz/corpus/hlo", ".hlo");
  std::ranges::sort(seeds);
  ASSERT_FALSE(seeds.empty());
  for (const fs::path& path : seeds) {
    SCOPED_TRACE(path.string());
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const ParsedModules parsed = parse_hlo(text);
    EXPECT_EQ(check_parsed(parsed), "");
    EXPECT_EQ(check_round_trip(parsed), "");
    for (std::size_t length = 0; length < text.size(); ++length) {
      ASSERT_EQ(check_parsed(parse_hlo(std::string_view(text).substr(0, length))), "") << "cut at " << length;
    }
    for (unsigned seed = 0; seed < 500; ++seed) check_damaged(text, seed);
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace tessera
