// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "files/npy.h"
#include "files/safetensors.h"
#include "files/weight_map.h"
#include "tessera/files/tensor_file.h"

namespace tessera::tensor_listing_test {
namespace {

namespace fs = std::filesystem;

class TensorListingTest : public testing::Test {
 protected:
  TensorListingTest() { fs::create_directories(folder_); }
  ~TensorListingTest() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& bytes) const {
    const std::string path = folder_ / name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  // A header with one f32[2] tensor.
  static std::string one_tensor(const std::string& name) {
    SafetensorsHeader header;
    header.tensors.push_back({name, "F32", DType::f32, {2}, 0, 8});
    return to_bytes(header) + std::string(8, '\0');
  }

  fs::path folder_ =
      fs::temp_directory_path() / ("tessera-listing-" + std::to_string(std::random_device()()));
};

TEST_F(TensorListingTest, KnowsAFormatByItsFirstBytes) {
  const auto content = [&](const std::string& name, const std::string& bytes) {
    return content_of(write(name, bytes)).value();
  };
  EXPECT_EQ(content("a", npy_header(DType::f32, {{2}}, false) + std::string(8, '\0')), Content::npy);
  EXPECT_EQ(content("b", one_tensor("w")), Content::safetensors);
  EXPECT_EQ(content("c.safetensors", "broken"), Content::safetensors);
  EXPECT_EQ(content("d.npy", ""), Content::npy);
  EXPECT_EQ(content("m.safetensors.index.json", "{}"), Content::index);
  EXPECT_EQ(content("e", "HloModule m\n"), Content::text);
  EXPECT_EQ(content("f", "\x1f\x8b\x08"), Content::text);
  EXPECT_EQ(content("g", "PK\x03\x04"), Content::zip);
  EXPECT_EQ(content("h", std::string(16, '\0')), Content::unknown);
  EXPECT_EQ(content("i", ""), Content::unknown);
}

TEST_F(TensorListingTest, AFileOfManyTensorsIsListedInTheOrderOfItsBytes) {
  SafetensorsHeader header;
  header.tensors.push_back({"b", "BF16", DType::bf16, {3}, 8, 14});
  header.tensors.push_back({"a", "F32", DType::f32, {2}, 0, 8});
  header.metadata["format"] = "pt";
  const std::string path = write("two.safetensors", to_bytes(header) + std::string(14, '\0'));
  const Result<TensorListing> listing = list_tensors(path, Content::safetensors);
  ASSERT_TRUE(listing.has_value());
  ASSERT_EQ(listing->tensors.size(), 2u);
  EXPECT_EQ(listing->tensors[0].name, "a");
  EXPECT_EQ(listing->tensors[1].dtype, DType::bf16);
  EXPECT_EQ(listing->tensors[1].end - listing->tensors[1].begin, 6);
  EXPECT_EQ(listing->tensors[1].end, listing->file_bytes);
  EXPECT_EQ(listing->metadata.at("format"), "pt");
}

TEST_F(TensorListingTest, AnIndexListsTheTensorsOfItsFiles) {
  write("1.safetensors", one_tensor("x"));
  const std::string index =
      write("m.index.json", R"({"weight_map": {"y": "2.safetensors", "x": "1.safetensors"}})");
  const Result<TensorListing> listing = list_tensors(index, Content::index);
  ASSERT_TRUE(listing.has_value()) << to_string(listing.error());
  EXPECT_EQ(listing->files, (std::vector<std::string>{"1.safetensors", "2.safetensors"}));
  EXPECT_EQ(listing->missing, (std::vector<std::string>{"2.safetensors"}));
  ASSERT_EQ(listing->tensors.size(), 2u);
  EXPECT_EQ(listing->tensors[0].name, "y");
  EXPECT_EQ(listing->tensors[0].layout, std::nullopt);
  EXPECT_EQ(listing->tensors[1].shape, std::vector<Index>{2});
}

TEST(WeightMap, AnyTextIsReadOrRefusedAtAPlaceInIt) {
  const auto refused = [](const std::string& text) { return parse_weight_map(text).error().message; };
  EXPECT_EQ(refused(""), "the index is not JSON");
  EXPECT_EQ(refused("[]"), "the index has no object 'weight_map'");
  EXPECT_EQ(refused(R"({"weight_map": {"a": ""}})"), "the entry of tensor 'a' does not name a file");
  EXPECT_EQ(parse_weight_map(R"({"weight_map": {"a": 1}})").error().span.begin, 16u);
  const std::string good = R"({"metadata": {"total_size": 8}, "weight_map": {"a\"b": "1", "c": "2"}})";
  const auto entries = parse_weight_map(good);
  ASSERT_TRUE(entries.has_value());
  EXPECT_EQ((*entries)[0].tensor, "a\"b");
  EXPECT_EQ(good.substr((*entries)[1].place.begin, 3), "\"c\"");
  constexpr unsigned kSeed = 20261123;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  for (int i = 0; i < 2000; ++i) {
    std::string text = good;
    for (int k = 0; k < 3; ++k) text[random() % text.size()] = static_cast<char>(random() % 256);
    if (const auto read = parse_weight_map(text); !read) {
      EXPECT_LE(read.error().span.end, text.size()) << text;
      EXPECT_FALSE(read.error().message.empty());
    }
  }
}

}  // namespace
}  // namespace tessera::tensor_listing_test
