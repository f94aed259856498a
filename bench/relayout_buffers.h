// SPDX-License-Identifier: Apache-2.0
/// \file
/// The two buffers that all contenders share.
#pragma once

#include <cstddef>

namespace tessera::bench {

/// Zeroed memory at a multiple of 2 MB, with huge pages advised. `data` is null if the system refuses it.
class BigBuffer {
 public:
  explicit BigBuffer(std::size_t size);
  ~BigBuffer();
  BigBuffer(const BigBuffer&) = delete;
  BigBuffer& operator=(const BigBuffer&) = delete;

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_;
};

}  // namespace tessera::bench
