// SPDX-License-Identifier: Apache-2.0
#include "files/file_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "tessera/files/tensor_file.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

class FileWriterTest : public testing::Test {
 protected:
  FileWriterTest()
      : folder_(fs::path(testing::TempDir()) / ("tessera_file_writer_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~FileWriterTest() override { fs::remove_all(folder_); }

  std::string path(const char* name) const { return (folder_ / name).string(); }
  void put(const char* name, const std::string& text) const { std::ofstream(path(name)) << text; }
  std::string get(const char* name) const {
    std::ifstream file(path(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(folder_)) out.push_back(entry.path().filename());
    return out;
  }
  static Result<void> write(FileWriter& file, std::string_view text) {
    return file.write(std::as_bytes(std::span(text)));
  }

 private:
  fs::path folder_;
};

TEST_F(FileWriterTest, AFileAppearsWhenItIsCommitted) {
  auto file = FileWriter::create(path("a"), false);
  ASSERT_TRUE(file);
  ASSERT_TRUE(write(**file, "one"));
  ASSERT_TRUE(write(**file, "two"));
  EXPECT_FALSE(fs::exists(path("a")));
  const Result<MappedFile> early = MappedFile::map((*file)->descriptor(), "a");
  ASSERT_TRUE(early);
  EXPECT_EQ(early->bytes().size(), 6u);
  ASSERT_TRUE((*file)->commit());
  EXPECT_EQ(get("a"), "onetwo");
  EXPECT_THAT(names(), testing::ElementsAre("a"));
}

TEST_F(FileWriterTest, WithoutACommitNothingIsLeft) {
  put("a", "old");
  {
    auto file = FileWriter::create(path("a"), true);
    ASSERT_TRUE(file);
    ASSERT_TRUE(write(**file, "new"));
  }
  EXPECT_EQ(get("a"), "old");
  EXPECT_THAT(names(), testing::ElementsAre("a"));
}

TEST_F(FileWriterTest, AnOlderFileIsReplacedOnlyByForceAndKeepsItsRights) {
  put("a", "old");
  ::chmod(path("a").c_str(), 0640);
  EXPECT_EQ(FileWriter::create(path("a"), false).error().code, Code::file_exists);
  auto file = FileWriter::create(path("a"), true);
  ASSERT_TRUE(write(**file, "new"));
  ASSERT_TRUE((*file)->commit());
  EXPECT_EQ(get("a"), "new");
  EXPECT_THAT(names(), testing::ElementsAre("a"));
  struct stat status = {};
  ::stat(path("a").c_str(), &status);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST_F(FileWriterTest, AFileThatAppearsInTheMeantimeIsNotReplaced) {
  auto file = FileWriter::create(path("a"), false);
  ASSERT_TRUE(write(**file, "new"));
  put("a", "other");
  EXPECT_EQ((*file)->commit().error().code, Code::file_exists);
  file->reset();
  EXPECT_EQ(get("a"), "other");
  EXPECT_THAT(names(), testing::ElementsAre("a"));
}

TEST_F(FileWriterTest, FoldersAndMissingFoldersAreRefused) {
  EXPECT_EQ(FileWriter::create(path("."), true).error().code, Code::file_write);
  EXPECT_EQ(FileWriter::create(path("none/a"), false).error().code, Code::file_write);
}

TEST_F(FileWriterTest, AFullDiskIsAnError) {
  auto file = FileWriter::create("/dev/full", false);
  ASSERT_TRUE(file);
  EXPECT_FALSE((*file)->is_pending());
  EXPECT_EQ(write(**file, "x").error().code, Code::file_write);
}

// SIGKILL at a random point of writing.
TEST_F(FileWriterTest, AKilledProcessLeavesTheOldFile) {
  put("a", "old");
  for (int round = 0; round < 10; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      auto file = FileWriter::create(path("a"), true);
      const std::string block(1 << 16, 'x');
      while (file && write(**file, block)) {
        if (::lseek((*file)->descriptor(), 0, SEEK_CUR) > 64 << 20) ::raise(SIGKILL);
      }
      ::_exit(1);
    }
    ::usleep(static_cast<useconds_t>(500 * round));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(get("a"), "old");
  }
}

// Regression: a broken link was replaced by the new file, or reported as already existing.
TEST_F(FileWriterTest, ALinkThatLeadsNowhereIsRefused) {
  fs::create_symlink("gone", path("link"));
  for (const bool force : {false, true}) {
    const auto file = FileWriter::create(path("link"), force);
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().code, Code::file_write);
    EXPECT_THAT(file.error().message, testing::HasSubstr("it is a link to 'gone'"));
  }
  EXPECT_THAT(names(), testing::ElementsAre("link"));
}

}  // namespace
}  // namespace tessera
