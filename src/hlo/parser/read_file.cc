// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string_view>
#include <system_error>
#include <utility>

#include "tessera/hlo/module.h"

namespace tessera {
namespace {

// Owns a gzFile. zlib also reads files that are not compressed.
class GzipFile {
 public:
  explicit GzipFile(gzFile file) : file_(file) {}
  GzipFile(const GzipFile&) = delete;
  GzipFile& operator=(const GzipFile&) = delete;
  ~GzipFile() {
    if (file_ != nullptr) gzclose(file_);
  }
  explicit operator bool() const { return file_ != nullptr; }
  gzFile get() const { return file_; }

 private:
  gzFile file_;
};

// zlib's messages are `NAME: reason`, where stdin is `<fd:N>`.
std::string_view without_name(std::string_view reason, std::string_view path) {
  if (path == "-") path = reason.substr(0, reason.find(": "));
  if (reason.starts_with(path) && reason.substr(path.size()).starts_with(": ")) {
    reason.remove_prefix(path.size() + 2);
  }
  return reason;
}

gzFile open(const std::string& path) {
  if (path != "-") return gzopen(path.c_str(), "rb");
  const int copy = dup(STDIN_FILENO);
  return copy < 0 ? nullptr : gzdopen(copy, "rb");
}

Failure too_large(const std::string& name, std::size_t max_bytes) {
  return fail({.code = Code::file_too_large,
               .message = fmt::format("'{}' has more than {} bytes of text", name, max_bytes),
               .help = "split the file: each module can be read on its own"});
}

}  // namespace

Result<std::shared_ptr<const Source>> read_file(const std::string& path, std::size_t max_bytes) {
  max_bytes = std::min<std::size_t>(max_bytes, std::numeric_limits<std::uint32_t>::max() - 1);
  const std::string name = path == "-" ? "<stdin>" : path;
  errno = 0;
  const GzipFile reader(open(path));
  if (!reader) {
    const bool missing = errno == ENOENT || errno == ENOTDIR;
    return fail({.code = missing ? Code::file_not_found : Code::file_read,
                 .message = fmt::format("'{}' cannot be {}: {}", name, missing ? "opened" : "read",
                                        errno == 0 ? "out of memory" : std::strerror(errno)),
                 .help = missing           ? "check the path: relative paths start from the current directory"
                         : errno == EACCES ? "you have no read permission; ls -l shows the permissions"
                                           : ""});
  }
  // A regular file that is too large is refused by its size, before it is read. A compressed file counts as
  // well: its text is hardly ever smaller.
  std::error_code no_size;
  if (path != "-" && std::filesystem::is_regular_file(path, no_size) &&
      std::filesystem::file_size(path, no_size) > max_bytes && !no_size) {
    return too_large(name, max_bytes);
  }
  gzbuffer(reader.get(), 1u << 17);
  std::string text;
  constexpr std::size_t kChunk = std::size_t{1} << 20;
  for (;;) {
    const std::size_t before = text.size();
    text.resize(before + kChunk);
    errno = 0;
    const int count = gzread(reader.get(), text.data() + before, static_cast<unsigned>(kChunk));
    int status = Z_OK;
    const char* const reason = gzerror(reader.get(), &status);
    if (count < 0 || status == Z_BUF_ERROR || status == Z_DATA_ERROR) {
      return fail({.code = Code::file_read,
                   .message = fmt::format("'{}' cannot be read: {}", name,
                                          status == Z_ERRNO       ? std::strerror(errno)
                                          : status == Z_BUF_ERROR ? "the gzip data is truncated"
                                                                  : without_name(reason, path)),
                   .help = status == Z_ERRNO ? "" : "the file is damaged: get it again"});
    }
    text.resize(before + static_cast<std::size_t>(count));
    if (text.size() > max_bytes) return too_large(name, max_bytes);
    if (static_cast<std::size_t>(count) < kChunk) break;
  }
  // Without the byte order mark, columns are those that an editor shows.
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
  text.shrink_to_fit();
  return std::make_shared<const Source>(name, std::move(text));
}

}  // namespace tessera
