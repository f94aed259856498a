// SPDX-License-Identifier: Apache-2.0
// read_file without zlib, for WebAssembly: text only.
#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <utility>

#include "tessera/hlo/module.h"

namespace tessera {

Result<std::shared_ptr<const Source>> read_file(const std::string& path, std::size_t max_bytes) {
  max_bytes = std::min<std::size_t>(max_bytes, std::numeric_limits<std::uint32_t>::max() - 1);
  const std::string name = path == "-" ? "<stdin>" : path;
  std::FILE* const file = path == "-" ? stdin : std::fopen(path.c_str(), "rb");
  if (file == nullptr) {
    return fail({.code = errno == ENOENT ? Code::file_not_found : Code::file_read,
                 .message = fmt::format("'{}' cannot be opened: {}", name, std::strerror(errno)),
                 .help = "check the path: relative paths start from the current directory"});
  }
  std::string text;
  char block[1 << 16];
  std::size_t count = 0;
  while (text.size() <= max_bytes && (count = std::fread(block, 1, sizeof block, file)) != 0)
    text.append(block, count);
  const bool failed = std::ferror(file) != 0;
  if (file != stdin) std::fclose(file);
  if (failed) {
    return fail({.code = Code::file_read, .message = fmt::format("'{}' cannot be read", name)});
  }
  if (text.size() > max_bytes) {
    return fail({.code = Code::file_too_large,
                 .message = fmt::format("'{}' holds more than {} bytes of text", name, max_bytes),
                 .help = "split the file: modules do not depend on each other"});
  }
  if (text.starts_with("\x1f\x8b")) {
    return fail({.code = Code::file_read,
                 .message = fmt::format("'{}' cannot be read: this build cannot unpack gzip data", name),
                 .help = "unpack the file first"});
  }
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
  return std::make_shared<const Source>(name, std::move(text));
}

}  // namespace tessera
