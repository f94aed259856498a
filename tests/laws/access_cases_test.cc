// SPDX-License-Identifier: Apache-2.0
// Recounts, from the bytes, the predictions that bench/cuda measures, and checks the page that lists them.
#include "cuda/access_cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

namespace tessera::bench {
namespace {

// 128 bytes are served together: 32 lanes of up to 4 bytes, 16 lanes of 8 bytes, or 8 lanes of 16 bytes.
std::int64_t wavefronts_of(const PredictedAccess& one) {
  const auto width = static_cast<std::size_t>(one.access.element_bytes * one.access.vector);
  const std::size_t together = std::min<std::size_t>(32, 128 / width);
  std::int64_t sum = 0;
  for (std::size_t first = 0; first < 32; first += together) {
    std::map<std::int64_t, std::set<std::int64_t>> words;
    for (std::size_t lane = first; lane < first + together; ++lane)
      for (std::size_t b = 0; b < width; ++b) {
        const std::int64_t word = (one.bytes[lane] + static_cast<std::int64_t>(b)) / 4;
        words[word % 32].insert(word);
      }
    std::int64_t most = 0;
    for (const auto& [bank, all] : words) most = std::max(most, std::ssize(all));
    sum += most;
  }
  return sum;
}

std::int64_t sectors_of(const PredictedAccess& one) {
  std::set<std::int64_t> out;
  for (const std::int64_t byte : one.bytes)
    for (std::int64_t b = 0; b < one.access.element_bytes * one.access.vector; ++b)
      out.insert((byte + b) / 32);
  return std::ssize(out);
}

TEST(AccessCases, AgreeWithTheBytes) {
  for (const PredictedAccess& one : predicted_accesses()) {
    ASSERT_EQ(one.error, "") << one.access.name;
    ASSERT_EQ(one.bytes.size(), 32u) << one.access.name;
    if (one.access.shared) {
      EXPECT_EQ(one.wavefronts, wavefronts_of(one)) << one.access.name;
    } else {
      EXPECT_EQ(one.sectors, sectors_of(one)) << one.access.name;
    }
  }
}

TEST(AccessCases, AreThoseOfThePage) {
  std::ifstream page(TESSERA_SOURCE_DIR "/docs/understand/accesses-measured.md");
  std::stringstream text;
  text << page.rdbuf();
  std::string rows;
  for (const PredictedAccess& one : predicted_accesses()) {
    const std::string row = "| " + std::string(one.access.name) + " | `" + one.access.layout + "` | " +
                            (one.access.shared ? "shared" : "global") + " | " +
                            std::to_string(one.access.element_bytes * one.access.vector) + " | " +
                            std::to_string(one.access.shared ? one.wavefronts : one.sectors) + " |";
    EXPECT_NE(text.str().find(row), std::string::npos) << "the page lacks: " << row;
    rows += row + "\n";
  }
  if (HasFailure()) std::cout << rows;
}

}  // namespace
}  // namespace tessera::bench
