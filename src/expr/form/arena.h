// SPDX-License-Identifier: Apache-2.0
/// \file
/// A bump allocator that frees all objects at once and keeps its memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

namespace tessera::detail {

/// Memory for trivially destructible objects with one lifetime. `reset` keeps only the first block, so that
/// one large input does not pin its memory to the thread.
class Arena {
 public:
  void* allocate(std::size_t bytes) {
    bytes = (bytes + 15) & ~std::size_t{15};
    if (static_cast<std::size_t>(end_ - next_) < bytes) [[unlikely]]
      grow(bytes);
    void* const out = next_;
    next_ += bytes;
    return out;
  }

  template <class T>
  T* array(std::size_t count) {
    return static_cast<T*>(allocate(count * sizeof(T)));
  }

  void reset() {
    if (blocks_.empty()) return;
    blocks_.resize(1);
    next_ = blocks_[0].get();
    end_ = next_ + kBlockBytes;
  }

 private:
  static constexpr std::size_t kBlockBytes = std::size_t{1} << 18;

  void grow(std::size_t bytes) {
    const std::size_t size = blocks_.empty() || bytes < kBlockBytes ? std::max(kBlockBytes, bytes) : bytes;
    if (blocks_.empty() && size > kBlockBytes) {  // the first block always has the size `reset` assumes
      blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(kBlockBytes));
    }
    blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
    next_ = blocks_.back().get();
    end_ = next_ + size;
  }

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::byte* next_ = nullptr;
  std::byte* end_ = nullptr;
};

}  // namespace tessera::detail
