// SPDX-License-Identifier: Apache-2.0
#include "transfer/page_budget.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "tessera/files/tensor_file.h"

namespace tessera::transfer {
namespace {

// A file that was just read from front to back lies in large folios, which are mapped as a whole.
TEST(PageBudget, OneByteMakesAtMostAWindowResident) {
  const PageBudget all(0, [] {});
  if (!all.resident_file_bytes()) GTEST_SKIP() << "the system does not tell what is resident";
  constexpr Index kApart = 4 * kPageWindow;
  constexpr Index kTouches = 8;
  const std::string path = ::testing::TempDir() + "page_budget_test.raw";
  {
    std::ofstream out(path, std::ios::binary);
    const std::vector<char> block(std::size_t{1} << 20, 'x');
    for (Index at = 0; at < kApart * kTouches; at += std::ssize(block))
      out.write(block.data(), std::ssize(block));
  }
  std::ifstream in(path, std::ios::binary);
  std::vector<char> block(std::size_t{1} << 20);
  while (in.read(block.data(), std::ssize(block))) {
  }
  const auto file = MappedFile::open(path);
  ASSERT_TRUE(file);
  const Index before = *all.resident_file_bytes();
  volatile int sum = 0;
  for (Index k = 0; k < kTouches; ++k)
    sum =
        sum + std::to_integer<int>(file->bytes()[static_cast<std::size_t>(k * kApart + kApart / 2 + 12345)]);
  // The system counts in batches, so the total may be a little off.
  EXPECT_LE(*all.resident_file_bytes() - before, (kTouches + 1) * kPageWindow);
  std::remove(path.c_str());
}

TEST(PageBudget, MeasuresBeforeItDropsPages) {
  PageBudget budget(4 * kPageWindow, [] {});
  if (!budget.resident_file_bytes()) GTEST_SKIP() << "the system does not tell what is resident";
  EXPECT_EQ(budget.bytes(), 8 * kPageWindow);
  // Far more is counted than is resident: nothing was read.
  for (int k = 0; k < 100; ++k) EXPECT_FALSE(budget.spend(kPageWindow));
}

}  // namespace
}  // namespace tessera::transfer
