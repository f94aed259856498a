// SPDX-License-Identifier: Apache-2.0
// The demo, the documentation and new users rely on the programs of examples/hlo, so they must have no
// errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "tessera/hlo/module.h"

namespace tessera {
namespace {

std::vector<std::filesystem::path> example_programs() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(TESSERA_SOURCE_DIR "/examples/hlo")) {
    if (entry.path().extension() == ".hlo") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ExamplePrograms, ThereAreSome) { EXPECT_GE(example_programs().size(), 9U); }

TEST(ExamplePrograms, ReadAndVerifyWithoutADiagnostic) {
  for (const auto& path : example_programs()) {
    const auto source = std::make_shared<const Source>(path.filename().string(), text_of(path));
    const ParsedModules parsed = parse_hlo(source);
    for (const Diagnostic& diagnostic : parsed.diagnostics) ADD_FAILURE() << render(diagnostic, *source);
    ASSERT_EQ(parsed.modules.size(), 1U) << path;
    EXPECT_EQ(parsed.modules[0].name, path.stem().string());
    EXPECT_NE(parsed.modules[0].entry, nullptr) << path;
  }
}

TEST(ExamplePrograms, BeginWithACommentThatTellsWhatTheyAre) {
  for (const auto& path : example_programs()) {
    EXPECT_THAT(text_of(path), testing::StartsWith("// SPDX-License-Identifier: Apache-2.0\n// ")) << path;
  }
}

}  // namespace
}  // namespace tessera
