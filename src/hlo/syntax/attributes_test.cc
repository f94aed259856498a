// SPDX-License-Identifier: Apache-2.0
#include "hlo/syntax/attributes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hlo/syntax/replica_groups.h"

namespace tessera {
namespace {

using testing::ElementsAre;

Attribute attribute(std::string_view value) {
  return {"key", value, {100, 100 + static_cast<std::uint32_t>(value.size())}};
}

using Groups = std::vector<std::vector<Index>>;

Groups groups(std::string_view value) {
  const auto read = read_replica_groups(attribute(value));
  EXPECT_TRUE(read.has_value()) << read.error().message;
  return read ? read->groups : Groups{};
}

TEST(AttributesTest, ReadsLists) {
  EXPECT_THAT(*read_ints(attribute("{1, -2,/*x*/3}")), ElementsAre(1, -2, 3));
  EXPECT_THAT(*read_ints(attribute("{}")), ElementsAre());
  EXPECT_THAT(*read_words(attribute("{default,high}")), ElementsAre("default", "high"));
  EXPECT_EQ(*read_int(attribute("-7")), -7);
  EXPECT_TRUE(*read_bool(attribute("true")));
}

TEST(AttributesTest, WhatIsLeftOverIsAnError) {
  EXPECT_EQ(read_int(attribute("7x")).error().code, Code::bad_attribute);
  EXPECT_EQ(read_ints(attribute("{1,}")).error().code, Code::bad_attribute);
  EXPECT_EQ(read_int(attribute("99999999999999999999")).error().code, Code::number_range);
  EXPECT_EQ(read_ints(attribute("{1;2}")).error().span.begin, 102u)
      << "the place of the semicolon in the source";
}

TEST(AttributesTest, UnescapesStrings) {
  EXPECT_EQ(*read_string(attribute(R"("a\"b\\c\n\x41\101")")), "a\"b\\c\nAA");
  EXPECT_EQ(*read_string(attribute("'it'")), "it");
  EXPECT_EQ(*read_string(attribute("word")), "word");
}

TEST(AttributesTest, ReadsSlicesAndPadding) {
  EXPECT_THAT(*read_slice_ranges(attribute("{[5:10], [3:20:7]}")),
              ElementsAre(SliceRange{5, 10, 1}, SliceRange{3, 20, 7}));
  EXPECT_THAT(*read_padding(attribute("1_4_1x-4_8")), ElementsAre(PadRange{1, 4, 1}, PadRange{-4, 8, 0}));
}

TEST(AttributesTest, WindowsHaveOneEntryForEachDimension) {
  const auto window = read_window(attribute("{size=3x2 stride=2x1 pad=1_1x0_-1 rhs_reversal=0x1}"));
  ASSERT_TRUE(window.has_value());
  EXPECT_THAT(*window, ElementsAre(WindowDim{.size = 3, .stride = 2, .pad_low = 1, .pad_high = 1},
                                   WindowDim{.size = 2, .pad_high = -1, .reversed = true}));
  EXPECT_TRUE(read_window(attribute("{}"))->empty());
  EXPECT_EQ(read_window(attribute("{size=3x2 stride=2}")).error().code, Code::rank_mismatch);
  EXPECT_EQ(read_window(attribute("{size=3 size=3}")).error().code, Code::bad_attribute);
  EXPECT_EQ(read_window(attribute("{girth=3}")).error().code, Code::bad_attribute);
}

TEST(AttributesTest, DimLabelsNameDimensionsByPosition) {
  const auto labels = read_dim_labels(attribute("bf01_oi01->b1f0"));
  ASSERT_TRUE(labels.has_value());
  EXPECT_EQ(labels->input_batch, 0);
  EXPECT_EQ(labels->input_feature, 1);
  EXPECT_THAT(labels->input_spatial, ElementsAre(2, 3));
  EXPECT_EQ(labels->kernel_input_feature, 1);
  EXPECT_EQ(labels->kernel_output_feature, 0);
  EXPECT_THAT(labels->output_spatial, ElementsAre(3, 1));
  EXPECT_EQ(read_dim_labels(attribute("b?0f_0io->b0f"))->input_rank, 4u);
  EXPECT_EQ(read_dim_labels(attribute("b02f_01io->b01f")).error().code, Code::bad_attribute);
  EXPECT_EQ(read_dim_labels(attribute("bb_io->bf")).error().code, Code::bad_attribute);
}

TEST(AttributesTest, ReplicaGroupsInAllThreeForms) {
  EXPECT_EQ(groups("{{0,1},{2,3}}"), (Groups{{0, 1}, {2, 3}}));
  EXPECT_TRUE(read_replica_groups(attribute("{}"))->all);
  EXPECT_EQ(groups("[2,4]<=[8]"), (Groups{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  // 0..7 as 4x2, transposed to 2x4: the even numbers first.
  EXPECT_EQ(groups("[2,4]<=[4,2]T(1,0)"), (Groups{{0, 2, 4, 6}, {1, 3, 5, 7}}));
  // Groups vary over b (the minor axis) and are listed over a.
  EXPECT_EQ(groups("mesh['a'=2,'b'=4] {'b'}"), (Groups{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(groups("mesh['a'=2,'b'=4] {'a'}"), (Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  // Axis b of 4 as 2x2: its major digit varies inside a group.
  EXPECT_EQ(groups("mesh['b'=4] {'b':(1)2}"), (Groups{{0, 2}, {1, 3}}));
  EXPECT_EQ(groups("mesh['b'=4] {'b':(2)2}"), (Groups{{0, 1}, {2, 3}}));
}

TEST(AttributesTest, ReplicaGroupsThatDoNotFitAreErrors) {
  EXPECT_EQ(read_replica_groups(attribute("[2,4]<=[9]")).error().code, Code::shape_mismatch);
  EXPECT_EQ(read_replica_groups(attribute("[2,4]<=[4,2]T(0,0)")).error().code, Code::bad_permutation);
  EXPECT_EQ(read_replica_groups(attribute("[1,1]<=[9223372036854775807,9]")).error().code, Code::limit);
  EXPECT_EQ(read_replica_groups(attribute("mesh['a'=2] {'c'}")).error().code, Code::unknown_name);
  EXPECT_FALSE(read_replica_groups(attribute("mesh['a'=2] {'a','a'}")).has_value());
}

TEST(AttributesTest, GroupSizeIsKnownWhenAllAgree) {
  EXPECT_EQ(read_replica_groups(attribute("{{0,1},{2,3}}"))->group_size(), 2);
  EXPECT_EQ(read_replica_groups(attribute("{{0,1},{2}}"))->group_size(), std::nullopt);
  EXPECT_EQ(read_replica_groups(attribute("{}"))->group_size(), std::nullopt);
}

TEST(AttributesTest, ReadsPairsAndAliases) {
  EXPECT_THAT(*read_source_target_pairs(attribute("{{0,1},{1,0}}")),
              ElementsAre(SourceTarget{0, 1}, SourceTarget{1, 0}));
  EXPECT_THAT(*read_output_aliases(attribute("{{}: (0, {}), {1}: (2, {0})}")),
              ElementsAre(OutputAlias{{}, 0, {}}, OutputAlias{{1}, 2, {0}}));
}

}  // namespace
}  // namespace tessera
