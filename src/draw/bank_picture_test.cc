// SPDX-License-Identifier: Apache-2.0
#include "draw/bank_picture.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tessera::detail {
namespace {

std::vector<Index> lanes_at(Index stride) {
  std::vector<Index> out(32);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<Index>(i) * stride;
  return out;
}

TEST(BankPicture, MarksTheWordsOfTheFullestBanks) {
  const std::vector<Index> bytes = lanes_at(8);  // 32 lanes, 8 bytes apart: 2 words in every second bank
  const TouchedMemory memory{.bytes = bytes, .lanes = 0xffffffff, .width = 4, .end = 256};
  const auto picture = bank_picture("p", std::span(&memory, 1), 32, 4);
  ASSERT_TRUE(picture);
  const Panel& panel = picture->panels[0];
  EXPECT_EQ(panel.rows, 3);
  EXPECT_EQ(panel.row(0)[0].text, "0");
  EXPECT_EQ(panel.row(1)[0].text, "16");
  EXPECT_TRUE(panel.row(1)[0].marked);
  EXPECT_EQ(panel.row(1)[1].text, "");
  EXPECT_FALSE(panel.row(1)[1].marked);
  EXPECT_EQ(panel.row(2)[0].text, "2");
  EXPECT_EQ(panel.row(2)[1].text, "0");
}

// The sum of the last row over all banks is the number of distinct words.
TEST(BankPicture, CountsEveryWordOnce) {
  for (const Index stride : {0, 2, 4, 12, 36, 132, 1028}) {
    for (const int width : {1, 4, 16}) {
      const std::vector<Index> bytes = lanes_at(stride * width);
      const TouchedMemory memory{.bytes = bytes, .lanes = 0xff00ff0f, .width = width, .end = 1 << 20};
      const auto picture = bank_picture("p", std::span(&memory, 1), 32, 4);
      ASSERT_TRUE(picture);
      const Panel& panel = picture->panels[0];
      Index words = 0;
      Index cells = 0;
      for (Index bank = 0; bank < 32; ++bank) {
        words += std::stoll(panel.row(panel.rows - 1)[bank].text);
        for (Index row = 0; row + 1 < panel.rows; ++row) cells += panel.row(row)[bank].color >= 0;
      }
      EXPECT_EQ(words, cells) << stride << " " << width;
    }
  }
}

TEST(LinePicture, HatchesWhatIsFetchedForNothing) {
  const std::vector<Index> bytes = {4, 8, 132};
  const TouchedMemory memory{.bytes = bytes, .lanes = 7, .width = 4, .end = 256};
  const auto picture = line_picture("p", std::span(&memory, 1));
  ASSERT_TRUE(picture);
  const Panel& panel = picture->panels[0];
  EXPECT_EQ(panel.rows, 2);
  EXPECT_EQ(panel.row(0)[0].kind, Cell::Kind::padding);
  EXPECT_EQ(panel.row(0)[1].text, "0");
  EXPECT_EQ(panel.row(0)[2].text, "1");
  EXPECT_EQ(panel.row(0)[7].kind, Cell::Kind::padding);
  EXPECT_EQ(panel.row(0)[8].kind, Cell::Kind::none);
  EXPECT_EQ(panel.row(1)[1].text, "2");
  EXPECT_EQ(picture->legend.back().text, "fetched, not used");
}

TEST(BankPicture, DrawsNoLanesAtAll) {
  const TouchedMemory memory{.bytes = {}, .lanes = 0};
  EXPECT_TRUE(bank_picture("p", std::span(&memory, 1), 32, 4));
  EXPECT_TRUE(line_picture("p", std::span(&memory, 1)));
}

}  // namespace
}  // namespace tessera::detail
