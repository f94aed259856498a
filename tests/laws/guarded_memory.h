// SPDX-License-Identifier: Apache-2.0
/// \file
/// Memory in which an access one byte out of bounds faults.
#pragma once

#include <cstddef>

namespace tessera::testing_support {

/// Memory between two guard pages.
class GuardedMemory {
 public:
  explicit GuardedMemory(std::size_t bytes);
  ~GuardedMemory();
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  std::size_t capacity() const { return bytes_; }
  /// `bytes` bytes that end `gap` bytes before the second guard page (at_end), or begin `gap` bytes after the
  /// first.
  std::byte* place(std::size_t bytes, bool at_end, std::size_t gap);

 private:
  std::byte* mapping_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t page_ = 0;
};

}  // namespace tessera::testing_support
