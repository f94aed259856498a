// SPDX-License-Identifier: Apache-2.0
/// \file
/// The sink of an answer: a file descriptor or memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tessera::cli {

/// A buffered byte stream. After a failed write it drops everything, and `error()` returns the errno. So
/// callers need to check only once, at the end.
class Output {
 public:
  /// Collects the bytes in memory, for `text()`.
  Output() = default;
  /// Writes to a descriptor, which stays open.
  explicit Output(int descriptor) : descriptor_(descriptor) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() { flush(); }

  void write(std::string_view text);
  void flush();

  /// The errno of the first failure, or 0.
  int error() const { return error_; }
  /// The number of bytes passed to `write`.
  std::uint64_t size() const { return size_; }
  /// The bytes in memory: all of them, or those not yet written.
  const std::string& text() const { return buffer_; }

 private:
  int descriptor_ = -1;
  int error_ = 0;
  std::uint64_t size_ = 0;
  std::string buffer_;
};

}  // namespace tessera::cli
