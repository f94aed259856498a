// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where answers go: a file descriptor or a text in memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tessera::cli {

/// A buffered stream of bytes. After a failed write everything else is dropped and `error()` says why, so
/// that callers check once, at the end.
class Output {
 public:
  /// Collects in memory; `text()` has it.
  Output() = default;
  /// Writes to a descriptor, which stays open.
  explicit Output(int descriptor) : descriptor_(descriptor) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() { flush(); }

  void write(std::string_view text);
  void flush();

  /// The errno of the first failure, 0 while all is well.
  int error() const { return error_; }
  /// Bytes given to `write`.
  std::uint64_t size() const { return size_; }
  /// What was collected in memory, or is not yet written.
  const std::string& text() const { return buffer_; }

 private:
  int descriptor_ = -1;
  int error_ = 0;
  std::uint64_t size_ = 0;
  std::string buffer_;
};

}  // namespace tessera::cli
