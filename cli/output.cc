// SPDX-License-Identifier: Apache-2.0
#include "cli/output.h"

#include <unistd.h>

#include <cerrno>

namespace tessera::cli {
namespace {

constexpr std::size_t kBufferBytes = 1 << 16;

}  // namespace

void Output::write(std::string_view text) {
  size_ += text.size();
  if (error_ != 0) return;
  buffer_ += text;
  if (descriptor_ >= 0 && buffer_.size() >= kBufferBytes) flush();
}

void Output::flush() {
  if (descriptor_ < 0) return;
  std::string_view rest = buffer_;
  while (error_ == 0 && !rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  buffer_.clear();
}

}  // namespace tessera::cli
