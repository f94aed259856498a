// SPDX-License-Identifier: Apache-2.0
// Diagnostics of bad programs: every tests/golden/diagnostics/NAME.hlo has its diagnostics in NAME.txt.
// TESSERA_REWRITE_GOLDEN=1 rewrites them; read the diff before you commit it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "laws/hlo_laws.h"
#include "tessera/hlo/module.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<fs::path> inputs() {
  std::vector<fs::path> paths;
  for (const auto& entry :
       fs::directory_iterator(fs::path(TESSERA_SOURCE_DIR) / "tests/golden/diagnostics")) {
    if (entry.path().extension() == ".hlo") paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  return paths;
}

class GoldenDiagnostics : public testing::TestWithParam<fs::path> {};

TEST_P(GoldenDiagnostics, SayWhatIsWrongAndWhere) {
  const fs::path& path = GetParam();
  const ParsedModules parsed =
      parse_hlo(std::make_shared<const Source>(path.filename().string(), read(path)));
  EXPECT_EQ(check_parsed(parsed), "");
  std::string shown;
  for (const Diagnostic& diagnostic : parsed.diagnostics) shown += render(diagnostic, *parsed.source);
  const fs::path golden = fs::path(path).replace_extension(".txt");
  if (std::getenv("TESSERA_REWRITE_GOLDEN") != nullptr) {
    std::ofstream(golden, std::ios::binary) << shown;
    return;
  }
  EXPECT_EQ(shown, read(golden));
}

std::string name_of(const testing::TestParamInfo<fs::path>& info) { return info.param.stem().string(); }

INSTANTIATE_TEST_SUITE_P(All, GoldenDiagnostics, testing::ValuesIn(inputs()), name_of);

TEST(GoldenDiagnosticsSet, CoversFortyProblems) {
  std::size_t count = 0;
  for (const fs::path& path : inputs()) count += parse_hlo(read(path)).diagnostics.size();
  EXPECT_GE(count, 40u);
}

}  // namespace
}  // namespace tessera
