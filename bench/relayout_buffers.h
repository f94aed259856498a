// SPDX-License-Identifier: Apache-2.0
/// \file
/// The buffers that all contenders share.
#pragma once

#include <cstddef>

namespace tessera::bench {

/// Zeroed memory, aligned to 2 MB and with huge pages advised. `data` is null if there is not enough memory.
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
