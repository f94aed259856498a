// SPDX-License-Identifier: Apache-2.0
#include "verbs/dump_folder.h"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <string_view>

#include "base/plural.h"
#include "verbs/limits.h"

namespace tessera::verbs {
namespace {

constexpr std::string_view kOptimized = "after_optimizations";

std::string_view without_ending(std::string_view name) {
  for (const std::string_view ending : {".gz", ".txt", ".hlo"})
    if (name.ends_with(ending)) name.remove_suffix(ending.size());
  return name;
}

bool is_optimized_module(std::string_view name) {
  return without_ending(name).ends_with(kOptimized) && name.size() > without_ending(name).size();
}

// `before_optimizations`, `buffer-assignment`, `.pb`: what a file of a dump is, by its name.
std::string kind_of_dump(std::string_view name) {
  for (const std::string_view kind :
       {"before_optimizations", "buffer-assignment", "memory-usage-report", "live-range", "thunk_sequence",
        "execution_options", "ir-no-opt", "ir-with-opt"})
    if (name.find(kind) != std::string_view::npos) return std::string(kind);
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? "other" : std::string(name.substr(dot));
}

}  // namespace

bool is_folder(const std::string& path) {
  struct stat info = {};
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

Result<DumpFolder> read_dump_folder(const std::string& path) {
  DIR* const folder = opendir(path.c_str());
  if (folder == nullptr)
    return fail(Code::file_read, fmt::format("'{}' cannot be read: {}", path, std::strerror(errno)));
  std::vector<std::string> names;
  while (const dirent* const entry = readdir(folder)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != ".." && names.size() < kVerbLimits.dump_files) names.emplace_back(name);
  }
  closedir(folder);
  std::ranges::sort(names);
  DumpFolder out;
  std::map<std::string, std::size_t> kinds;
  const std::string prefix = path.ends_with('/') ? path : path + "/";
  for (const std::string& name : names) {
    if (is_optimized_module(name)) {
      out.modules.push_back(prefix + name);
    } else if (!is_folder(prefix + name)) {
      ++kinds[kind_of_dump(name)];
    }
  }
  std::size_t shown = 0;
  for (const auto& [kind, count] : kinds) {
    if (shown++ == kVerbLimits.dump_kinds) {
      out.others += ", ...";
      break;
    }
    out.others += fmt::format("{}{} {}", out.others.empty() ? "" : ", ", count, kind);
  }
  if (!out.modules.empty()) return out;
  return fail(Code::file_read,
              fmt::format("the folder '{}' has no file '*{}.txt'{}", path, kOptimized,
                          out.others.empty() ? "" : "; it has " + out.others),
              {},
              "name a file of it, or let XLA write such files: "
              "XLA_FLAGS='--xla_dump_to=DIR --xla_dump_hlo_as_text'");
}

}  // namespace tessera::verbs
