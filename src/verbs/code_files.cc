// SPDX-License-Identifier: Apache-2.0
#include "verbs/code_files.h"

#include <sys/stat.h>

#include <string_view>
#include <utility>

#include "base/shortened.h"
#include "tessera/hlo/module.h"
#include "verbs/limits.h"

namespace tessera::verbs {
namespace {

constexpr std::size_t kLongestLine = 200;

bool is_code_file(const std::string& path) {
  struct stat info = {};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         std::cmp_less_equal(info.st_size, kVerbLimits.code_bytes);
}

}  // namespace

const Source* CodeFiles::found(const std::string& path) {
  const auto [known, is_new] = files_.try_emplace(path);
  if (!is_new) return known->second.get();
  if (path.empty() || path.find("..") != std::string::npos) return nullptr;
  for (std::size_t begin = path[0] == '/' ? 1 : 0;;) {
    const std::string candidate = folder_ + "/" + path.substr(begin);
    if (begin < path.size() && is_code_file(candidate)) {
      if (auto source = read_file(candidate, kVerbLimits.code_bytes)) known->second = *std::move(source);
      break;
    }
    const std::size_t slash = path.find('/', begin);
    if (slash == std::string::npos) break;
    begin = slash + 1;
  }
  return known->second.get();
}

std::optional<std::string> CodeFiles::line(const std::string& path, Index number) {
  const Source* const source = found(path);
  if (source == nullptr || number < 1) return std::nullopt;
  const std::string_view whole = source->line(static_cast<std::size_t>(number));
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = whole.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return std::nullopt;
  const std::size_t size = whole.find_last_not_of(kBlanks) - first + 1;
  return shortened(whole.substr(first, size), kLongestLine);
}

}  // namespace tessera::verbs
