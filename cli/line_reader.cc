// SPDX-License-Identifier: Apache-2.0
#include "cli/line_reader.h"

#include <unistd.h>

#include <cerrno>

#include "cli/limits.h"

namespace tessera::cli {

// Drops the returned lines and reads more bytes into the buffer. Returns false at the end and on failure.
bool LineReader::fill() {
  if (ended_) return false;
  constexpr std::size_t kBytes = 1 << 16;
  buffer_.erase(0, position_);
  position_ = 0;
  const std::size_t size = buffer_.size();
  buffer_.resize(size + kBytes);
  ssize_t count = -1;
  do {
    count = ::read(descriptor_, buffer_.data() + size, kBytes);
  } while (count < 0 && errno == EINTR);
  buffer_.resize(size + (count > 0 ? static_cast<std::size_t>(count) : 0));
  if (count < 0) error_ = errno;
  if (count <= 0) ended_ = true;
  return count > 0;
}

LineReader::Status LineReader::next(std::string_view& line) {
  bool too_long = false;
  std::size_t searched = 0;  // bytes of this line known to hold no line break
  for (;;) {
    const std::size_t found = buffer_.find('\n', position_ + searched);
    if (found != std::string::npos) {
      line = std::string_view(buffer_).substr(position_, found - position_);
      position_ = found + 1;
      break;
    }
    if (buffer_.size() - position_ > kCliLimits.line_bytes) {
      too_long = true;
      position_ = buffer_.size();
    }
    searched = buffer_.size() - position_;
    if (fill()) continue;
    if (error_ != 0) return Status::failed;
    line = std::string_view(buffer_).substr(position_);
    position_ = buffer_.size();
    if (line.empty() && !too_long) return Status::end;
    break;
  }
  if (too_long) return Status::too_long;
  if (line.ends_with('\r')) line.remove_suffix(1);
  return Status::line;
}

}  // namespace tessera::cli
