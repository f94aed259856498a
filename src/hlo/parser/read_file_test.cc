// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>

#include "tessera/hlo/module.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

class ReadFileTest : public testing::Test {
 protected:
  ReadFileTest()
      : folder_(fs::path(testing::TempDir()) / ("tessera_read_file_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~ReadFileTest() override { fs::remove_all(folder_); }

  std::string path(const char* name) const { return (folder_ / name).string(); }
  void write(const char* name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
  }
  void write_packed(const char* name, const std::string& bytes) const {
    gzFile file = gzopen(path(name).c_str(), "wb9");
    ASSERT_NE(file, nullptr);
    ASSERT_EQ(gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size())),
              static_cast<int>(bytes.size()));
    gzclose(file);
  }

 private:
  fs::path folder_;
};

TEST_F(ReadFileTest, ReadsPlainAndPackedTexts) {
  const std::string text(3000000, 'x');
  write("plain.hlo", text);
  write_packed("packed.hlo.gz", text);
  EXPECT_EQ((*read_file(path("plain.hlo")))->text(), text);
  EXPECT_EQ((*read_file(path("packed.hlo.gz")))->text(), text);
  EXPECT_EQ((*read_file(path("plain.hlo")))->name(), path("plain.hlo"));
}

TEST_F(ReadFileTest, AnEmptyFileIsAnEmptyText) {
  write("empty", "");
  EXPECT_EQ((*read_file(path("empty")))->text(), "");
}

TEST_F(ReadFileTest, SaysWhatIsWrong) {
  EXPECT_EQ(read_file(path("missing")).error().code, Code::file_not_found);
  EXPECT_EQ(read_file(path("")).error().code, Code::file_read) << "a folder";
  std::string text;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i);
  write_packed("whole.gz", text);
  std::ifstream whole(path("whole.gz"), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(whole), {}};
  write("cut.gz", bytes.substr(0, bytes.size() / 2));
  EXPECT_EQ(read_file(path("cut.gz")).error().code, Code::file_read);
  std::string broken = bytes;
  broken[bytes.size() / 2] = static_cast<char>(broken[bytes.size() / 2] ^ 0x55);
  write("broken.gz", broken);
  EXPECT_EQ(read_file(path("broken.gz")).error().code, Code::file_read);
}

TEST_F(ReadFileTest, ASmallArchiveOfAHugeTextIsRefused) {
  write_packed("bomb.gz", std::string(50000000, '\0'));
  EXPECT_LT(fs::file_size(path("bomb.gz")), 100000u);
  EXPECT_EQ(read_file(path("bomb.gz"), 1000000).error().code, Code::file_too_large);
}

// Regression: a file above the limit was first read up to the limit, which took 14 seconds for 4 GiB.
TEST_F(ReadFileTest, AFileAboveTheLimitIsRefusedBeforeItIsRead) {
  write("huge.hlo", "");
  fs::resize_file(path("huge.hlo"), std::uintmax_t{1} << 40);  // sparse
  EXPECT_EQ(read_file(path("huge.hlo")).error().code, Code::file_too_large);
}

}  // namespace
}  // namespace tessera
