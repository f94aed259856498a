// SPDX-License-Identifier: Apache-2.0
// Copies of files between random layouts with various amounts of memory: 300 pairs, with seed TESSERA_SEED.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/index_walk.h"
#include "laws/relayout_cases.h"
#include "tessera/notation/layout.h"
#include "tessera/transfer/copy.h"

namespace tessera::testing_relayout::transfer_test {
namespace {

namespace fs = std::filesystem;

constexpr Index kElements = 600;
constexpr Index kBuffer = 5000;

std::string read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_all(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string draw_bytes(Choices& choices, Index count) {
  std::string out(static_cast<std::size_t>(count), '\0');
  for (char& c : out) c = static_cast<char>(choices.pick(0, 255));
  return out;
}

// The law of copies: through both layouts, each element of the new file equals that of the old file. Every
// other byte is the fill value or, if a file is replaced, unchanged. Returns the problem, or an empty text if
// there is none.
std::string check_copy(Choices& choices, const Layout& from, const Layout& to, const std::string& folder) {
  constexpr std::array<Index, 7> kWidths = {1, 2, 3, 4, 8, 16, 24};
  constexpr std::array<Index, 6> kMemories = {16, 100, 300, 1000, 4096, Index{1} << 20};
  const Index width = kWidths[static_cast<std::size_t>(choices.pick(0, 6))];
  CopyOptions options{.memory_bytes = kMemories[static_cast<std::size_t>(choices.pick(0, 5))], .force = true};
  options.threads = static_cast<int>(choices.pick(1, 3));
  options.verify = choices.one_in(2);
  options.padding = static_cast<Padding>(choices.pick(0, width <= 16 ? 2 : 1));
  for (std::size_t i = 0; i < 16; ++i) options.fill[i] = static_cast<std::byte>(0xa0 + i);

  const Index cells = *to.buffer_size();
  const std::string data = draw_bytes(choices, *from.buffer_size() * width);
  std::string expected(static_cast<std::size_t>(cells * width), '\0');
  const std::string out = folder + "/out.raw";
  fs::remove(out);
  if (options.padding == Padding::value) {
    for (std::size_t i = 0; i < expected.size(); ++i)
      expected[i] = static_cast<char>(options.fill[i % static_cast<std::size_t>(width)]);
  } else if (options.padding == Padding::keep && choices.one_in(2)) {
    expected = draw_bytes(choices, cells * width);
    write_all(out, expected);
  }
  std::vector<Index> index(from.rank(), 0);
  for (bool more = from.size() > 0; more;) {
    std::memcpy(expected.data() + to.offset(index) * width, data.data() + from.offset(index) * width,
                static_cast<std::size_t>(width));
    more = detail::next_index(index, from.shape());
  }

  write_all(folder + "/in.raw", data);
  const Result<TensorFile> file = TensorFile::open({folder + "/in.raw"});
  if (!file) return to_string(file.error());
  const Tensor source{from, std::nullopt, 8 * width};
  const Tensor destination{to, std::nullopt, 8 * width};
  const Result<CopyReport> report = copy_tensor(*file, source, destination, {out}, options);
  if (!report) return to_string(report.error()) + " " + report.error().witness;
  if (read_all(out) != expected) {
    return "wrong bytes: elements of " + std::to_string(width) + ", memory " +
           std::to_string(options.memory_bytes) + ", " + std::to_string(report->bands) + " bands";
  }
  return {};
}

TEST(Transfer, CopiesOfRandomLayoutsThroughThreadsAndBandsMoveWhatTheMapsSay) {
  const char* text = std::getenv("TESSERA_SEED");
  const std::uint64_t seed = text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
  const fs::path folder = fs::path(testing::TempDir()) / ("tessera_transfer_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  for (std::uint64_t n = 0; n < 300; ++n) {
    RandomChoices choices(seed * 1000003 + n);
    const auto box = draw_box(choices, kElements);
    const Layout from = draw_layout(choices, box, false, kBuffer);
    const Layout to = draw_layout(choices, box, true, kBuffer);
    const std::string wrong = check_copy(choices, from, to, folder.string());
    EXPECT_EQ(wrong, "") << "seed " << seed << ", case " << n << ": " << to_prefixed_string(from) << " to "
                         << to_prefixed_string(to);
    if (!wrong.empty()) break;
  }
  fs::remove_all(folder);
}

}  // namespace
}  // namespace tessera::testing_relayout::transfer_test
